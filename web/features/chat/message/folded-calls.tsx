import { Check, ChevronRight, Wrench } from 'lucide-react'
import { classNames } from '../../../ui/class-names.ts'
import type { CallFold } from './fold-calls.ts'

export interface FoldedCallsProps {
  readonly fold: CallFold
  readonly open: boolean
  readonly onToggle: () => void
}

/** The line into which tool calls are folded. A click shows them below it. */
export function FoldedCalls({ fold: { count, failures }, open, onToggle }: FoldedCallsProps) {
  return (
    <section aria-label="Tool calls" className="my-2.5 rounded-card border border-line bg-surface text-sm">
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className="touch-target flex min-h-10 w-full items-center gap-2.5 rounded-card px-3 py-2 text-left transition-colors hover:bg-hover"
      >
        <Wrench size={16} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1 font-medium tabular-nums">{count} tool calls</span>
        <span className="flex shrink-0 items-center gap-1.5 text-xs text-muted tabular-nums">
          {failures > 0 ? (
            `${failures} did not succeed`
          ) : (
            <Check size={16} aria-hidden className="text-success" />
          )}
        </span>
        <ChevronRight
          size={16}
          aria-hidden
          className={classNames('shrink-0 text-muted transition-transform', open && 'rotate-90')}
        />
      </button>
    </section>
  )
}
