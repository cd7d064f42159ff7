import type { Message } from '@yonder/contract/message'
import { Check, ChevronRight, Wrench, X } from 'lucide-react'
import type { Ref } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { Spinner } from '../../../ui/states/progress.tsx'
import { callStateWords, formatDuration } from './call-state.ts'
import type { CallState } from './call-state.ts'
import { InertText } from './inert-text.tsx'

export interface CallLineProps {
  readonly message: Message
  readonly state: CallState
  readonly durationMs: number | null
  readonly open: boolean
  readonly onToggle: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

/** A call in one line, which opens and closes its details (§13.1). */
export function CallLine({ message, state, durationMs, open, onToggle, ref }: CallLineProps) {
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
        <bdi className="max-w-full truncate text-muted">
          <InertText>{server}</InertText>
        </bdi>{' '}
        <bdi className="max-w-full truncate font-medium">
          <InertText>{call?.title ?? tool}</InertText>
        </bdi>
      </span>
      <span className="flex shrink-0 items-center gap-1.5 text-xs text-muted tabular-nums">
        <StateIcon state={state} />
        {state === 'done' && durationMs !== null ? (
          <>
            <span className="sr-only">Done, </span>
            {formatDuration(durationMs)}
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

/** A spinner until there is a result, then a check mark (§2.33), or a cross when the call did not succeed. */
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
