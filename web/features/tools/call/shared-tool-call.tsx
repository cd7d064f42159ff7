import type { Message } from '@yonder/contract/message'
import { Check, Minus, Wrench, X } from 'lucide-react'

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
  /** The result is not on the shared path. */
  no_result: { label: 'No result', Icon: Minus, tone: undefined },
} as const

export interface SharedToolCallProps {
  /** The reply that makes the call. */
  readonly message: Message
  readonly result: Message | undefined
}

/**
 * A tool call in a shared chat: connector, tool and state. It cannot be expanded, since the arguments and the result
 * are private.
 */
export function SharedToolCall({ message: { server, tool, call }, result }: SharedToolCallProps) {
  const withoutResult = call?.state === 'denied' ? 'denied' : 'no_result'
  // A result without an outcome belongs to the demo chat.
  const state = result === undefined ? withoutResult : (result.outcome?.status ?? 'done')
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
