import type { Message } from '@yonder/contract/message'
import { Check, ChevronRight, Wrench, X } from 'lucide-react'
import { classNames } from '../../../ui/class-names.ts'
import { Spinner } from '../../../ui/states/progress.tsx'
import { callStateWords } from './describe-call-state.ts'
import { formatDuration } from './format-duration.ts'
import { InertText } from './inert-text.tsx'
import type { CallState } from './read-call-state.ts'

export interface CallLineProps {
  readonly message: Message
  readonly state: CallState
  /** Milliseconds, where they are known. */
  readonly duration: number | null
  readonly open: boolean
  readonly onToggle: () => void
}

/** A call in one line, which opens and closes the rest of it. */
export function CallLine({ message, state, duration, open, onToggle }: CallLineProps) {
  const { server = '', tool = '', call } = message
  return (
    <button
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
        <bdi className="max-w-full truncate text-muted">
          <InertText>{server}</InertText>
        </bdi>{' '}
        <bdi className="max-w-full truncate font-medium">
          <InertText>{call?.title ?? tool}</InertText>
        </bdi>
      </span>
      <span className="flex shrink-0 items-center gap-1.5 text-xs text-muted tabular-nums">
        <StateIcon state={state} />
        {state === 'done' && duration !== null ? (
          <>
            <span className="sr-only">Done, </span>
            {formatDuration(duration)}
          </>
        ) : (
          callStateWords[state]
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

/** A spinner until there is a result, then a check mark (§2.33), or a cross where there is none to be had. */
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
    case 'tool_error':
    case 'failed':
    case 'timed_out':
    case 'authorization_needed':
    case 'interrupted':
      return <X size={16} aria-hidden className="text-danger" />
  }
}
