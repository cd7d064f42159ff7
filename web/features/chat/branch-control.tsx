import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Siblings } from './index-siblings.ts'

export interface BranchControlProps {
  readonly siblings: Siblings
  readonly disabled: boolean
  readonly onSelect: (messageId: string) => void
}

/** Previous and next among the versions of a message, with its place among them; disabled at the ends (§2.35). */
export function BranchControl({ siblings: { ids, index }, disabled, onSelect }: BranchControlProps) {
  if (ids.length < 2) return null
  const previous = ids[index - 1]
  const next = ids[index + 1]
  return (
    <span className="flex items-center">
      <IconButton
        label="Previous version"
        size="small"
        disabled={disabled || previous === undefined}
        onClick={() => previous !== undefined && onSelect(previous)}
      >
        <ChevronLeft size={16} aria-hidden />
      </IconButton>
      <output aria-label={`Version ${index + 1} of ${ids.length}`}>
        {index + 1}/{ids.length}
      </output>
      <IconButton
        label="Next version"
        size="small"
        disabled={disabled || next === undefined}
        onClick={() => next !== undefined && onSelect(next)}
      >
        <ChevronRight size={16} aria-hidden />
      </IconButton>
    </span>
  )
}
