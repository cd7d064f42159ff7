import type { Message } from '@yonder/contract/message'
import type { StepCall, ToolProgress, ToolQuestion } from '@yonder/contract/tool-call'
import { Ban, Check, ChevronRight, Wrench, X } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useRef, useState, type Ref } from 'react'
import { formatDuration } from '../../../lib/format-time.ts'
import { classNames } from '../../../ui/class-names.ts'
import { InertText, ToolName } from '../../../ui/inert-text.tsx'
import { Spinner } from '../../../ui/states/progress.tsx'
import { CutTextContext } from '../../../ui/tool-text.tsx'
import { elicitationDraft } from '../elicitation/elicitation-draft.ts'
import { ElicitationForm } from '../elicitation/elicitation-form.tsx'
import { PageRequest } from '../elicitation/page-request.tsx'
import type { ElicitationProps } from '../elicitation/use-answer.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { AuthorizationNeeded } from './authorization-needed.tsx'
import { CallDetails } from './call-details.tsx'
import { callStateExplanations, describeCall, readCallState, type CallState } from './call-state.ts'
import type { CallDecisions } from './decide-call.ts'
import { editDraft } from './edit-draft.ts'
import { ResultFiles } from './result-files.tsx'
import { useCallEdit } from './use-call-edit.ts'

// Loaded on demand, because models rarely make several calls at once that need approval.
const StepCalls = lazy(async () => {
  const { StepCalls: component } = await import('./step-calls.tsx')
  return { default: component }
})

export interface ToolBlockProps {
  readonly chatId: string
  /** The reply that makes the call. */
  readonly message: Message
  readonly result: Message | undefined
  /** Whether no message follows the reply. */
  readonly isLast: boolean
  /** Absent while the user cannot decide about the call. */
  readonly decide?: CallDecisions | undefined
  /** Called with the reply as the server has stored it when a later call of its step was decided. */
  readonly onChange?: ((message: Message) => void) | undefined
  /** The look of 'Allow Once'. */
  readonly look?: 'primary' | 'quiet' | undefined
  /** The chat of the call, where calls of several chats are shown. */
  readonly chatTitle?: string
  readonly onToggle?: ((open: boolean) => void) | undefined
}

/**
 * A tool call: one line that opens the arguments and the result, and the forms and buttons for the user.
 */
export function ToolBlock({
  chatId,
  message,
  result,
  isLast,
  decide,
  onChange,
  look,
  chatTitle,
  onToggle,
}: ToolBlockProps) {
  const [openByUser, setOpenByUser] = useState<boolean>()
  const line = useRef<HTMLButtonElement>(null)
  const state = readCallState(message, result, isLast)
  const { server = '', tool = '', call } = message
  // It was made elsewhere, so there is nothing to decide.
  const isImported = call?.imported === true
  const open = openByUser ?? (state === 'waiting' && !isImported)
  const elicitation = state === 'running' ? call?.question : undefined
  useClearDraft(chatId, message.id, state)
  const [cutTexts, setCutTexts] = useState(0)
  const addCutText = useCallback(() => {
    setCutTexts((count) => count + 1)
    return () => setCutTexts((count) => count - 1)
  }, [])
  const isWaiting = state === 'waiting' && !isImported
  const edit = useCallEdit(chatId, message.id)
  const steps = isWaiting ? call?.step : undefined
  const reason = state === 'denied' ? call?.decision?.reason : undefined
  const explanation = state === 'denied' ? explainDenial(message) : callStateExplanations[state]
  const isExplained = result?.outcome?.parts.some(({ type }) => type === 'note') === true
  return (
    <section
      aria-label={`Tool call: ${call?.title ?? tool}${chatTitle === undefined ? '' : `, in ${chatTitle}`}`}
      className="my-2.5 rounded-card border border-line bg-surface text-sm"
    >
      {steps !== undefined && steps.length > 0 && <StepHead steps={steps} />}
      <CallLine
        ref={line}
        message={message}
        state={state}
        durationMs={result?.outcome?.duration ?? null}
        open={open}
        onToggle={() => {
          setOpenByUser(!open)
          onToggle?.(!open)
        }}
      />
      {state === 'running' && elicitation === undefined && call?.progress !== undefined && (
        <CallProgress progress={call.progress} />
      )}
      <CutTextContext value={addCutText}>
        {open && (
          <div className="flex flex-col gap-2 px-3 pt-1 pb-3">
            {explanation !== undefined && !isExplained && <p className="text-muted">{explanation}</p>}
            <CallDetails message={message} result={result} edit={isWaiting ? edit : undefined} />
          </div>
        )}
        {result !== undefined && <ResultFiles result={result} title={call?.title ?? tool} server={server} />}
        {isWaiting && (
          <ApprovalCard
            chatId={chatId}
            message={message}
            decide={decide}
            edit={edit}
            isCut={!open || cutTexts > 0}
            look={look}
          />
        )}
      </CutTextContext>
      {steps !== undefined && steps.length > 0 && (
        <Suspense>
          <StepCalls
            chatId={chatId}
            message={message}
            steps={steps}
            decide={decide}
            edit={edit}
            onChange={onChange}
          />
        </Suspense>
      )}
      {reason !== undefined && (
        <p dir="auto" className="px-3 pb-2 whitespace-pre-line text-muted wrap-anywhere">
          “{reason}”
        </p>
      )}
      {state === 'authorization_needed' && !isImported && (
        <AuthorizationNeeded chatId={chatId} server={server} />
      )}
      {elicitation !== undefined && (
        <CallElicitation
          key={elicitation.id}
          chatId={chatId}
          message={message}
          elicitation={elicitation}
          focusAfter={line}
        />
      )}
      <output className="sr-only">
        {elicitation === undefined ? '' : describeElicitation(server, elicitation)}
      </output>
    </section>
  )
}

/** The elicitation of a running call: a form to fill in, or a page to open. */
function CallElicitation(props: ElicitationProps) {
  const { page } = props.elicitation
  return page === undefined ? <ElicitationForm {...props} /> : <PageRequest {...props} page={page} />
}

/** Returns what a screen reader announces. */
function describeElicitation(server: string, { message, page }: ToolQuestion): string {
  if (page === undefined) return `The connector ${server} asks you: ${message}`
  return `The connector ${server} asks you to open a page at ${new URL(page.address).origin}: ${message}`
}

/** Removes the stored form entries when the call is over, even if it ended in another tab. */
function useClearDraft(chatId: string, messageId: string, state: CallState): void {
  const isOver = state !== 'waiting' && state !== 'running'
  useEffect(() => {
    if (isOver) elicitationDraft.clear(chatId, messageId)
    if (state !== 'waiting') editDraft.clear(chatId, messageId)
  }, [isOver, state, chatId, messageId])
}

/** Says how many calls the model made at once, above the first one that waits. */
function StepHead({ steps }: { readonly steps: readonly StepCall[] }) {
  const asking = 1 + steps.filter(({ asks, decided }) => asks && decided === undefined).length
  return (
    <p className="flex flex-wrap justify-between gap-x-3 border-b border-line px-3 py-2 text-xs text-muted tabular-nums">
      <span className="font-medium text-ink">{steps.length + 1} calls</span>
      <span>
        {asking} {asking === 1 ? 'needs' : 'need'} approval
      </span>
    </p>
  )
}

/** Returns a sentence about a call that did not run because of the user, or because nobody decided. */
function explainDenial({ call }: Message): string | undefined {
  return call?.decision?.kind === 'expired'
    ? 'Nobody decided about this call in 24 hours. It was not run, and the model was told.'
    : callStateExplanations.denied
}

interface CallLineProps {
  readonly message: Message
  readonly state: CallState
  readonly durationMs: number | null
  readonly open: boolean
  readonly onToggle: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

/** The line of a call, which opens and closes its details. */
function CallLine({ message, state, durationMs, open, onToggle, ref }: CallLineProps) {
  const { server = '', tool = '', call } = message
  return (
    <button
      ref={ref}
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className={classNames(
        'touch-target flex min-h-10 w-full items-center gap-2.5 px-3 py-2 text-left transition-colors hover:bg-hover',
        open ? 'rounded-t-card' : 'rounded-card',
      )}
    >
      <Wrench size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="flex min-w-0 flex-1 flex-wrap gap-x-1.5">
        <bdi className={classNames('max-w-full text-muted', open ? 'wrap-anywhere' : 'truncate')}>
          <InertText>{server}</InertText>
        </bdi>{' '}
        <bdi className={classNames('max-w-full font-medium', open ? 'wrap-anywhere' : 'truncate')}>
          <ToolName>{call?.title ?? tool}</ToolName>
        </bdi>
      </span>
      <span className="flex shrink-0 items-center gap-1.5 text-xs text-muted tabular-nums">
        {call?.imported === true && <span className="rounded-mark bg-pressed px-1.5 py-0.5">Imported</span>}
        <StateIcon state={state} />
        {state === 'done' && durationMs !== null && <span className="sr-only">Done, </span>}
        {describeCall(message, state, durationMs)}
        {state === 'running' && call?.running_since !== undefined && (
          <RunningTime since={call.running_since} />
        )}
      </span>
      <ChevronRight
        size={16}
        aria-hidden
        className={classNames('shrink-0 text-muted transition-transform', open && 'rotate-90')}
      />
    </button>
  )
}

/** A spinner until the call is over, then a check mark, or a cross when the call did not succeed. */
function StateIcon({ state }: { readonly state: CallState }) {
  switch (state) {
    case 'waiting':
    case 'running':
      return <Spinner />
    case 'done':
      return <Check size={16} aria-hidden className="text-success" />
    case 'stopped':
    case 'denied':
      return <X size={16} aria-hidden />
    case 'blocked':
      return <Ban size={16} aria-hidden />
    case 'tool_error':
    case 'failed':
    case 'timed_out':
    case 'authorization_needed':
    case 'interrupted':
      return <X size={16} aria-hidden className="text-danger" />
  }
}

const progressLook = classNames(
  'block h-1 w-full appearance-none overflow-hidden rounded-mark bg-pressed',
  '[&::-webkit-progress-bar]:bg-transparent',
  '[&::-webkit-progress-value]:rounded-mark [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]',
  '[&::-moz-progress-bar]:rounded-mark [&::-moz-progress-bar]:bg-accent',
)

/** The reported progress of a running call: as text, and as a bar if the total is known. */
function CallProgress({ progress: { progress, total, message = '' } }: { readonly progress: ToolProgress }) {
  const isCounted = progress !== undefined && (total === undefined || total > 0)
  const share = isCounted && total !== undefined ? Math.min(1, Math.max(0, progress / total)) : undefined
  return (
    <div className="flex flex-col gap-1.5 px-3 pt-1 pb-3">
      {share !== undefined && <progress aria-label="Progress" value={share} className={progressLook} />}
      <p dir="auto" className="text-xs text-muted tabular-nums wrap-anywhere">
        {isCounted && describeCount(progress, total)}
        {isCounted && message !== '' && ' - '}
        <InertText>{message}</InertText>
      </p>
    </div>
  )
}

/** How long a call has run, in whole seconds. Screen readers do not announce it. */
function RunningTime({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.floor((now - since) / 1_000)
  // The clocks of server and browser may differ.
  if (seconds < 1) return null
  const text = seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1_000)
  return <span aria-hidden>{text}</span>
}

/** Returns progress towards a total of 1 as a percentage, and any other as a count. */
function describeCount(progress: number, total: number | undefined): string {
  if (total === 1) return `${Math.round(Math.min(1, Math.max(0, progress)) * 100)} %`
  const numberFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
  return total === undefined
    ? numberFormat.format(progress)
    : `${numberFormat.format(progress)} of ${numberFormat.format(total)}`
}
