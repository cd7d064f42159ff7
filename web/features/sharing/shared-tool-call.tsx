import type { ToolCall } from '@yonder/contract/tool-call'
import { Check, Minus, Wrench, X } from 'lucide-react'

const looks = {
  answered: { word: 'Done', State: Check, tone: 'text-success' },
  denied: { word: 'Denied', State: X, tone: undefined },
  waiting: { word: 'Not run', State: Minus, tone: undefined },
  running: { word: 'Not run', State: Minus, tone: undefined },
} as const

export interface SharedToolCallProps {
  readonly server: string
  readonly tool: string
  /** How it stood on the shared path. */
  readonly state: ToolCall['state']
}

/** A tool call as a visitor sees it: its name and how it stands. There is nothing to open: what went in and out is private. */
export function SharedToolCall({ server, tool, state }: SharedToolCallProps) {
  const { word, State, tone } = looks[state]
  return (
    <p className="my-1 flex min-h-10 items-center gap-2.5 rounded-card border border-line bg-surface px-3 py-2 text-sm">
      <Wrench size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="min-w-0 wrap-anywhere">
        <bdi className="text-muted">{server}</bdi> <bdi className="font-medium">{tool}</bdi>
      </span>
      <span className="ml-auto flex shrink-0 items-center gap-1.5 text-xs text-muted">
        <State size={16} aria-hidden className={tone} />
        {word}
      </span>
    </p>
  )
}
