import type { Transfer } from '@yonder/contract/transfer'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useSWRConfig } from 'swr'
import { transfersKey, useCancelTransfer } from '../../../data/transfers.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { formatBytes, formatCount, formatLimit } from '../../../lib/format-usage.ts'
import { useStore } from '../../../lib/store.ts'
import { toast } from '../../../lib/toasts.ts'
import { Button } from '../../../ui/button/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx'
import { dialogStack } from '../../../ui/dialog/dialog-layer.ts'
import { useFileDrop } from '../../../ui/use-file-drop.ts'
import { Card, ProgressCard } from '../progress-card.tsx'
import { sourceNames } from '../source-names.ts'
import { DropZone } from './drop-zone.tsx'
import { FilePicker } from './file-picker.tsx'
import { Arrived, DoneCard, FailedCard } from './import-outcome.tsx'
import { PreviewCard } from './import-preview.tsx'
import { importUploadOf, type ImportUpload, type UploadView } from './import-upload.ts'
import { countChats, nameOfFiles, Note } from './import-words.tsx'

/** What the card shows: that this page uploads, nothing, or the state of the last import. */
type Step = 'upload' | 'upload failed' | 'empty' | Transfer['state']

const freeSteps: readonly Step[] = ['empty', 'done', 'failed', 'cancelled']

/** Imports the chats of another product, or of an export of Yonder: one card that changes in its place. */
export function ImportSection({ transfer }: { readonly transfer: Transfer | null }) {
  const title = useId()
  const upload = importUploadOf(useApi())
  const view = useStore(upload.view)
  const { mutate } = useSWRConfig()
  const choose = (files: readonly File[]) => upload.start(files, () => mutate(transfersKey))
  const step = view === undefined ? (transfer?.state ?? 'empty') : stepOf(view)
  const isFree = freeSteps.includes(step)
  const isDragged = useFileDrop((files) => {
    if (isFree) choose(files)
    else toast.error('Another import is not finished. Wait for it, or cancel it.')
  })
  const card = useStepFocus(step)
  return (
    <section aria-labelledby={title}>
      <h3 id={title} className="mb-2 text-sm font-medium text-muted">
        Import
      </h3>
      <div ref={card} className="flex flex-col gap-3">
        {view !== undefined ? (
          <UploadCard upload={upload} view={view} />
        ) : isFree && isDragged ? (
          <DropZone isOver onChoose={choose} />
        ) : (
          <TransferCard transfer={transfer} onChoose={choose} />
        )}
      </div>
      <output className="sr-only">{announce(step, view ?? transfer)}</output>
    </section>
  )
}

const stepOf = ({ failure }: UploadView): Step => (failure === undefined ? 'upload' : 'upload failed')

/**
 * Moves the focus with the card: to its next control when the user was in it, or nowhere. What the page shows first
 * does not take the focus, and neither does a change while a dialog is open.
 */
function useStepFocus(step: Step) {
  const card = useRef<HTMLDivElement>(null)
  const shown = useRef(step)
  // After every rendering, because a dialog over the card may close later than the card changes.
  useEffect(() => {
    if (shown.current === step || dialogStack.top() !== null) return
    shown.current = step
    const { activeElement } = document
    const isHere = activeElement === document.body || card.current?.contains(activeElement) === true
    if (isHere) card.current?.querySelector<HTMLElement>('[data-next-focus]')?.focus({ preventScroll: true })
  })
  return card
}

/** What screen readers say about a step, and after each quarter of it. */
function announce(step: Step, progress: Transfer | UploadView | null): string {
  switch (step) {
    case 'upload':
      return `Uploading${quarter(progress)}`
    case 'upload failed':
      return 'The upload has failed.'
    case 'reading':
      return `Reading the files${quarter(progress)}`
    case 'ready':
      return 'The files are read. Nothing is imported yet.'
    case 'running':
      return `Importing${quarter(progress)}`
    case 'done':
      return 'The import is done.'
    case 'failed':
      return 'The import has failed.'
    case 'cancelled':
      return 'The import was cancelled.'
    default:
      return ''
  }
}

function quarter(progress: Transfer | UploadView | null): string {
  if (progress === null || !progress.total) return ''
  const done = 'sent' in progress ? progress.sent : progress.done
  const quarters = Math.floor((4 * done) / progress.total)
  return quarters === 0 ? '' : `, ${quarters * 25} percent`
}

interface TransferCardProps {
  readonly transfer: Transfer | null
  readonly onChoose: (files: readonly File[]) => void
}

function TransferCard({ transfer, onChoose }: TransferCardProps) {
  switch (transfer?.state) {
    case undefined:
      return <DropZone isOver={false} onChoose={onChoose} />
    case 'uploading':
      return <UnfinishedUpload transfer={transfer} onChoose={onChoose} />
    case 'reading':
      return <ReadingCard transfer={transfer} />
    case 'ready':
      return (
        transfer.preview && <PreviewCard transfer={transfer} preview={transfer.preview} onChoose={onChoose} />
      )
    case 'running':
      return <RunningCard transfer={transfer} />
    case 'done':
      return transfer.result && <DoneCard result={transfer.result} onChoose={onChoose} />
    case 'failed':
      return <FailedCard transfer={transfer} onChoose={onChoose} />
    case 'cancelled':
      return (
        <>
          <CancelledNote result={transfer.result} />
          <DropZone isOver={false} onChoose={onChoose} />
        </>
      )
  }
}

interface UploadCardProps {
  readonly upload: ImportUpload
  readonly view: UploadView
}

/** The upload of this page. */
function UploadCard({ upload, view }: UploadCardProps) {
  const { names, sent, total, failure, canRetry = false, isCancelling = false } = view
  const cancel = (
    <Button
      // The focus goes to the first control that is marked.
      data-next-focus
      look={canRetry ? 'plain' : 'quiet'}
      busy={isCancelling}
      onClick={() => upload.cancel()}
    >
      Cancel
    </Button>
  )
  if (failure === undefined)
    return (
      <ProgressCard
        title={nameOfFiles(names)}
        text={sent < total ? `Uploading, ${formatShare(sent, total)}. Keep this tab open.` : 'Uploaded'}
        done={sent}
        total={total}
      >
        {cancel}
      </ProgressCard>
    )
  return (
    <Card>
      <Note icon={<CircleAlert size={16} aria-hidden className="text-danger" />}>
        <span className="font-medium">{nameOfFiles(names)} could not be uploaded.</span>
        <span className="block text-muted">{failure}</span>
      </Note>
      <div className="flex flex-1 flex-wrap items-end gap-2">
        {canRetry && (
          <Button data-next-focus onClick={() => upload.retry()}>
            Try again
          </Button>
        )}
        {cancel}
      </div>
    </Card>
  )
}

/** An upload that this page knows only from the server. Nobody can tell whether another page still goes on with it. */
function UnfinishedUpload({
  transfer: { id, files },
  onChoose,
}: TransferCardProps & { readonly transfer: Transfer }) {
  const cancel = useCancelTransfer('import')
  return (
    <Card>
      <div className="text-sm">
        <p dir="auto" className="font-medium wrap-anywhere">
          {nameOfFiles(files.map(({ name }) => name))}
        </p>
        <p className="text-muted">
          The upload goes on in the tab in which it began. Is that one closed? Then choose the files again.
        </p>
      </div>
      <div className="flex flex-1 flex-wrap items-end gap-2">
        {/* The server replaces the import by the new one. */}
        <FilePicker onChoose={onChoose}>Choose the files again</FilePicker>
        <Button look="plain" busy={cancel.pending} onClick={() => void cancel.run(id)}>
          Cancel
        </Button>
      </div>
    </Card>
  )
}

function ReadingCard({ transfer: { id, files, done, total } }: { readonly transfer: Transfer }) {
  const cancel = useCancelTransfer('import')
  return (
    <ProgressCard
      title={nameOfFiles(files.map(({ name }) => name))}
      text={`${total === null ? 'Starts when the server is free' : `Reading, ${formatShare(done, total)}`}. You can leave this page.`}
      done={done}
      total={total}
    >
      <Button data-next-focus busy={cancel.pending} onClick={() => void cancel.run(id)}>
        Cancel
      </Button>
    </ProgressCard>
  )
}

function RunningCard({ transfer: { id, preview, result, done, total } }: { readonly transfer: Transfer }) {
  const cancel = useCancelTransfer('import')
  const [isAsking, setAsking] = useState(false)
  const arrived = result === undefined ? done : result.new_chats + result.changed_chats
  const count =
    total === null ? 'Starts when the server is free' : `${formatCount(done)} of ${countChats(total)}`
  return (
    <>
      <ProgressCard
        title={preview === undefined ? 'Importing' : `Importing from ${sourceNames[preview.source]}`}
        text={`${count}. You can leave this page.`}
        done={done}
        total={total}
      >
        <Button data-next-focus onClick={() => setAsking(true)}>
          Cancel
        </Button>
      </ProgressCard>
      {isAsking && (
        <ConfirmDialog
          title="Stop the import?"
          message={
            arrived === 0
              ? 'No chat is in yet.'
              : `The ${arrived === 1 ? 'chat that is in stays' : `${countChats(arrived)} that are in stay`}.`
          }
          action="Stop"
          cancel="Go on"
          onConfirm={async () => (await cancel.run(id)).done}
          onDone={() => setAsking(false)}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** Says what a cancelled import has brought; nothing if it was cancelled before. */
function CancelledNote({ result }: { readonly result: Transfer['result'] }) {
  if (result === undefined || result.new_chats + result.changed_chats === 0) return null
  return (
    <Note icon={<CircleCheck size={16} aria-hidden className="text-success" />}>
      The import was cancelled. <Arrived result={result} />
    </Note>
  )
}

/** For example '214.3 MB of 380 MB'. */
const formatShare = (done: number, total: number) =>
  `${formatBytes(Math.min(done, total))} of ${formatLimit(total)}`
