import { ChevronRight } from 'lucide-react'
import { useState } from 'react'

export interface ReasoningFoldProps {
  readonly text: string
  /** While the model still thinks and nothing of the answer has come. */
  readonly thinking: boolean
}

/** What the model thought, folded above the answer; only drawn while it is open. */
export function ReasoningFold({ text, thinking }: ReasoningFoldProps) {
  const [open, setOpen] = useState(false)
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="text-sm text-muted"
    >
      <summary className="-ml-1 inline-flex list-none items-center gap-1 rounded-control py-1 pr-2 hover:text-ink">
        <ChevronRight
          size={16}
          aria-hidden
          className={open ? 'rotate-90 transition-transform' : 'transition-transform'}
        />
        <span className={thinking ? 'animate-pulse' : undefined}>
          {thinking ? 'Thinking...' : 'Reasoning'}
        </span>
      </summary>
      {open && (
        <div dir="auto" className="mt-1 border-l-2 border-line pl-4 leading-relaxed whitespace-pre-wrap">
          {text}
        </div>
      )}
    </details>
  )
}
