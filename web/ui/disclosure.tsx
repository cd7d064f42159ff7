import { ChevronRight } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { classNames } from './class-names.ts'

export interface DisclosureProps {
  readonly label: string
  /** Screen readers read this after the label. It tells apart several disclosures with the same label. */
  readonly subject?: string
  /** Rendered only while the disclosure is open. */
  readonly children: ReactNode
}

/** A quiet line that opens further details below itself. */
export function Disclosure({ label, subject, children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={subject === undefined ? undefined : `${label}: ${subject}`}
        onClick={() => setOpen(!isOpen)}
        className="touch-target -ml-1 inline-flex items-center gap-1 rounded-control px-1 py-0.5 text-left text-xs text-muted transition-colors hover:text-ink"
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={classNames('shrink-0 transition-transform', isOpen && 'rotate-90')}
        />
        {label}
      </button>
      {isOpen && <div className="mt-1.5">{children}</div>}
    </div>
  )
}
