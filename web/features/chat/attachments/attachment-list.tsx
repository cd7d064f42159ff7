import type { FilePlan } from '@yonder/contract/file'
import { isPicture } from '@yonder/contract/lib/file-limits'
import type { FileRef } from '@yonder/contract/message'
import { CircleAlert, TriangleAlert, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { formatBytes, formatCount } from '../../../lib/format-usage.ts'
import { Button } from '../../../ui/button/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { FileIcon } from '../../files/file-icon.tsx'
import type { AskedBot } from '../composer/bot-select.tsx'
import { AttachmentDialog } from './attachment-dialog.tsx'
import { describePlan, unseenPictures, useFilePlans, useSeeingBot } from './file-plans.ts'
import { Thumbnail } from './thumbnail.tsx'
import type { UploadState } from './upload-state.ts'
import type { Attachments } from './use-attachments.ts'

export interface AttachmentListProps {
  readonly attachments: Attachments
  /** The bots; absent while none is selected. */
  readonly choice: AskedBot | undefined
  /** Called with an estimate of the tokens that the files add to the prompt. */
  readonly onTokens?: ((tokens: number) => void) | undefined
  /** Called when what has the focus is removed, and no file can take it. */
  readonly onFocusLost: () => void
}

/** The files of a message that is being written, with what the model will be given of each. */
export function AttachmentList({ attachments, choice, onTokens, onFocusLost }: AttachmentListProps) {
  const { files, states, pasted, unpaste, draftKey, uploads } = attachments
  const list = useRef<HTMLUListElement>(null)
  const [edited, setEdited] = useState<number>()
  const bot = choice?.selected
  const plans = useFilePlans(files, bot?.name)
  const unseen = unseenPictures(files, plans)
  // Where some pictures are seen and some are not, each of these says why.
  const isBlind = unseen.length > 0 && files.every((file) => !isPicture(file.type) || unseen.includes(file))
  const others = choice?.bots?.filter(({ name }) => name !== bot?.name) ?? []
  const seeing = useSeeingBot(isBlind ? unseen.map(({ id }) => id) : [], others)
  const { tokens } = plans
  // Not at every key: the text may be long.
  const pastedLines = useMemo(() => countLines(pasted?.text ?? ''), [pasted])
  useEffect(() => {
    onTokens?.(tokens)
    return () => onTokens?.(0)
  }, [onTokens, tokens])

  const remove = (index: number) => {
    const file = files[index]
    if (file === undefined) return
    const cards = [...(list.current?.querySelectorAll<HTMLElement>('[data-file]') ?? [])]
    const hasFocus = list.current?.contains(document.activeElement) === true
    const next = cards[index + 1] ?? cards[index - 1]
    // The cards are keyed by their place, so the next file takes the place of the removed one.
    if (hasFocus) {
      if (next === undefined) onFocusLost()
      else if (cards[index + 1] === undefined) next.focus()
      else cards[index]?.focus()
    }
    attachments.remove(file.id)
  }
  // The file may be stored, and so get another id, while the dialog is open.
  const shown = edited === undefined ? undefined : files[edited]
  return (
    <>
      <ul
        ref={list}
        aria-label="Attached files"
        className="flex max-h-[36dvh] flex-wrap gap-2 overflow-y-auto rounded-block px-3 pt-2.5 pb-0.5"
      >
        {files.map((file, index) => (
          <Card
            // oxlint-disable-next-line react/no-array-index-key -- a file gets another id when it is stored, and keeps the focus
            key={index}
            file={file}
            state={plans.gone.has(file.id) ? goneState : states.get(file.id)}
            plan={isBlind && isPicture(file.type) ? undefined : plans.planOf(file.id)}
            preview={uploads.previewOf(file.id)}
            onOpen={() => setEdited(index)}
            onRemove={() => remove(index)}
            onRetry={() => uploads.resume(draftKey, file)}
          />
        ))}
      </ul>
      {pasted !== undefined && (
        <p className="flex flex-wrap items-center gap-x-1.5 px-4 pt-2 text-sm text-muted tabular-nums">
          Pasted text, {pastedLines}
          <LinkButton onPress={unpaste}>Put into the message</LinkButton>
        </p>
      )}
      {isBlind && (
        <p className="flex gap-2 px-4 pt-2 text-sm">
          <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warning" />
          <span>
            <bdi>{bot?.model}</bdi> cannot see pictures. It only gets their names.{' '}
            {seeing !== undefined && (
              <LinkButton
                onPress={() => {
                  choice?.select(seeing)
                  onFocusLost()
                }}
              >
                Ask <bdi>{seeing}</bdi> instead
              </LinkButton>
            )}
          </span>
        </p>
      )}
      {shown !== undefined && (
        <AttachmentDialog
          file={shown}
          preview={uploads.previewOf(shown.id)}
          onSave={attachments.change}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

const goneState: UploadState = {
  phase: 'failed',
  reason: 'It is not stored here. Attach it again.',
  canRetry: false,
}

function countLines(text: string): string {
  const count = text.trimEnd().split(/\r\n|\r|\n/).length
  return count === 1 ? 'one line' : `${formatCount(count)} lines`
}

function LinkButton({ onPress, children }: { onPress: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onPress}
      className="text-accent underline underline-offset-4 pointer-coarse:min-h-10"
    >
      {children}
    </button>
  )
}

interface CardProps {
  readonly file: FileRef
  /** Undefined when the file is stored. */
  readonly state: UploadState | undefined
  readonly plan: FilePlan | undefined
  readonly preview: string | undefined
  readonly onOpen: () => void
  readonly onRemove: () => void
  readonly onRetry: () => void
}

/** A file: a picture as its thumbnail, and any other, or one that needs words, as a card. */
function Card({ file, state, plan, preview, onOpen, onRemove, onRetry }: CardProps) {
  const { name, type, size } = file
  const open = useRef<HTMLButtonElement>(null)
  const failure = state?.phase === 'failed' ? state : undefined
  const planned = plan && describePlan(plan)
  const isPartial = plan?.as === 'name' || plan?.part !== undefined
  const isThumbnail =
    failure === undefined && plan?.as !== 'name' && (isPicture(type) || preview !== undefined)
  const detail = failure?.reason ?? describeState(state) ?? planned ?? describeSize(size, plan)
  // A sentence needs the whole width.
  const isWide = failure !== undefined || plan?.as === 'name'
  return (
    <li
      className={classNames(
        'relative flex overflow-hidden rounded-card border bg-surface text-sm',
        failure === undefined ? 'border-line-strong' : 'border-danger',
        isThumbnail ? 'size-14' : 'min-h-14 items-center',
        !isThumbnail && (isWide ? 'w-full' : 'w-full sm:w-[calc((100%-1rem)/3)]'),
      )}
    >
      <button
        ref={open}
        type="button"
        data-file
        aria-label={isThumbnail ? `${name}, ${detail}` : undefined}
        title={isThumbnail ? `${name}, ${detail}` : undefined}
        aria-haspopup="dialog"
        onClick={onOpen}
        onKeyDown={({ key }) => {
          if (key === 'Delete' || key === 'Backspace') onRemove()
        }}
        className="flex min-w-0 flex-1 items-center gap-2.5 self-stretch rounded-card text-start -outline-offset-2 transition-colors hover:bg-hover"
      >
        {isThumbnail ? (
          <Thumbnail file={file} preview={preview} />
        ) : (
          <span className="flex min-w-0 flex-1 items-center gap-2.5 py-2 pl-3">
            {failure === undefined ? (
              <FileIcon type={type} name={name} />
            ) : (
              <CircleAlert size={20} aria-hidden className="shrink-0 text-danger" />
            )}
            <span className="min-w-0 flex-1">
              <bdi className="block truncate" title={name}>
                {name}
              </bdi>
              <span
                className={classNames(
                  'block text-xs tabular-nums',
                  !isWide && !isPartial && 'truncate',
                  failure !== undefined ? 'text-danger' : isPartial ? 'text-warning' : 'text-muted',
                )}
              >
                {detail}
              </span>
            </span>
          </span>
        )}
      </button>
      {failure?.canRetry === true && (
        <span className="shrink-0">
          <Button
            size="small"
            aria-label={`Retry ${name}`}
            onClick={() => {
              // The pressed button is removed.
              open.current?.focus()
              onRetry()
            }}
          >
            Retry
          </Button>
        </span>
      )}
      <button
        type="button"
        aria-label={`${state === undefined || failure !== undefined ? 'Remove' : 'Cancel'} ${name}`}
        onClick={onRemove}
        className={classNames(
          'flex shrink-0',
          isThumbnail
            ? 'touch-target absolute top-0 right-0 items-start justify-end p-1 -outline-offset-2'
            : 'touch-target mx-1 size-8 items-center justify-center rounded-control text-muted transition-colors hover:bg-hover hover:text-ink',
        )}
      >
        <span className={isThumbnail ? 'rounded-full bg-ink p-0.5 text-page' : 'flex items-center'}>
          <X size={14} aria-hidden />
        </span>
      </button>
      {state !== undefined && failure === undefined && (
        <span aria-hidden className="absolute inset-x-0 bottom-0 h-1 bg-pressed">
          <span
            className="block h-full bg-accent transition-colors"
            style={{ width: `${state.phase === 'sending' ? Math.round(state.share * 100) : 0}%` }}
          />
        </span>
      )}
    </li>
  )
}

function describeState(state: UploadState | undefined): string | undefined {
  switch (state?.phase) {
    case 'waiting':
      return 'Waiting to upload'
    case 'preparing':
      return 'Preparing'
    case 'sending':
      // All is sent, and the server reads it.
      return state.share === 1 ? 'Storing' : `Uploading, ${Math.floor(state.share * 100)} %`
    case 'failed':
    case undefined:
      return undefined
  }
}

function describeSize(size: number, plan: FilePlan | undefined): string {
  const tokens = plan === undefined || plan.tokens === 0 ? '' : `, ${formatCount(plan.tokens)} tokens`
  return formatBytes(size) + tokens
}
