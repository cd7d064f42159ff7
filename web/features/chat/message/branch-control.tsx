import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import type { Siblings } from '../list/message-tree.ts'

export interface BranchControlProps {
  readonly siblings: Siblings
  readonly disabled: boolean
  readonly onSelect: (messageId: string) => void
}

/** Buttons for the previous and the next version of a message, disabled at the ends, and its number. */
export function BranchControl({ siblings: { ids, index }, disabled, onSelect }: BranchControlProps) {
  if (ids.length < 2) return null
  return (
    <span className="flex items-center">
      <VersionButton
        label="Previous version"
        target={disabled ? undefined : ids[index - 1]}
        onSelect={onSelect}
      >
        <ChevronLeft size={16} aria-hidden />
      </VersionButton>
      <output aria-label={`Version ${index + 1} of ${ids.length}`}>
        {index + 1}/{ids.length}
      </output>
      <VersionButton label="Next version" target={disabled ? undefined : ids[index + 1]} onSelect={onSelect}>
        <ChevronRight size={16} aria-hidden />
      </VersionButton>
    </span>
  )
}

interface VersionButtonProps {
  readonly label: string
  /** The id of the version that the button selects; undefined if there is none or nothing can be selected. */
  readonly target: string | undefined
  readonly onSelect: (messageId: string) => void
  readonly children: ReactNode
}

/** Uses `aria-disabled`: with `disabled`, a button would lose the focus at the first or last version. */
function VersionButton({ label, target, onSelect, children }: VersionButtonProps) {
  return (
    <IconButton
      label={label}
      size="small"
      aria-disabled={target === undefined || undefined}
      onClick={() => target !== undefined && onSelect(target)}
    >
      {children}
    </IconButton>
  )
}
