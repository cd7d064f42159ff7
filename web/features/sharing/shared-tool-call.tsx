import { Check, Minus, Wrench } from 'lucide-react'

export interface SharedToolCallProps {
  readonly server: string
  readonly tool: string
  /** Whether it was answered on the shared path. */
  readonly done: boolean
}

/** A tool call as a visitor sees it: its name and how it stands. There is nothing to open: what went in and out is private. */
export function SharedToolCall({ server, tool, done }: SharedToolCallProps) {
  const State = done ? Check : Minus
  return (
    <p className="flex min-h-10 items-center gap-2.5 rounded-card border border-line bg-surface px-3 py-2 text-sm">
      <Wrench size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="min-w-0 wrap-anywhere">
        <bdi className="text-muted">{server}</bdi> <bdi className="font-medium">{tool}</bdi>
      </span>
      <span className="ml-auto flex shrink-0 items-center gap-1.5 text-xs text-muted">
        <State size={16} aria-hidden className={done ? 'text-success' : undefined} />
        {done ? 'Done' : 'Not run'}
      </span>
    </p>
  )
}
