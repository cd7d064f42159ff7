import type { ToolOutcomeStatus } from '@yonder/contract/tool-call'
import { Check, Minus, Wrench, X } from 'lucide-react'

/** How a call ended; `no_result` when its result is not on the shared path. */
export type SharedCallState = ToolOutcomeStatus | 'no_result'

const failed = { label: 'Failed', Icon: X, tone: 'text-danger' } as const
const states = {
  done: { label: 'Done', Icon: Check, tone: 'text-success' },
  tool_error: failed,
  failed,
  authorization_needed: failed,
  timed_out: { label: 'Timed out', Icon: X, tone: 'text-danger' },
  stopped: { label: 'Stopped', Icon: Minus, tone: undefined },
  interrupted: { label: 'Interrupted', Icon: Minus, tone: undefined },
  denied: { label: 'Denied', Icon: X, tone: undefined },
  no_result: { label: 'No result', Icon: Minus, tone: undefined },
} as const satisfies Record<SharedCallState, unknown>

export interface SharedToolCallProps {
  readonly server: string
  readonly tool: string
  readonly state: SharedCallState
}

/**
 * A tool call in a shared chat: connector, tool and state. It cannot be expanded, since the arguments and the result
 * are private.
 */
export function SharedToolCall({ server, tool, state }: SharedToolCallProps) {
  const { label, Icon, tone } = states[state]
  return (
    <p className="my-1 flex min-h-10 items-center gap-2.5 rounded-card border border-line bg-surface px-3 py-2 text-sm">
      <Wrench size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="min-w-0 wrap-anywhere">
        <bdi className="text-muted">{server}</bdi> <bdi className="font-medium">{tool}</bdi>
      </span>
      <span className="ml-auto flex shrink-0 items-center gap-1.5 text-xs text-muted">
        <Icon size={16} aria-hidden className={tone} />
        {label}
      </span>
    </p>
  )
}
