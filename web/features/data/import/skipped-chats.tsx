import type { SkippedChat } from '@yonder/contract/transfer'
import { useId, useState } from 'react'
import { formatCount } from '../../../lib/format-usage.ts'
import { Button } from '../../../ui/button/button.tsx'

/** More chats than this are folded. */
const maxShown = 5

export interface SkippedChatsProps {
  /** The accessible name. */
  readonly label: string
  readonly chats: readonly SkippedChat[]
  /** How many there are, also of those that are not named. */
  readonly count: number
}

/** Chats that cannot be imported, each with its reason. */
export function SkippedChats({ label, chats, count }: SkippedChatsProps) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  if (chats.length === 0) return null
  const unnamed = count - chats.length
  return (
    <div className="rounded-control border border-line text-sm">
      <ul id={id} aria-label={label} className="divide-y divide-line">
        {(isOpen ? chats : chats.slice(0, maxShown)).map(({ title, problem }, index) => (
          // Titles are not unique, and the list does not change.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
            <span dir="auto" className="max-w-full min-w-0 truncate" title={title ?? undefined}>
              {title?.trim() || 'Untitled'}
            </span>
            <span className="text-muted wrap-anywhere">{problem}</span>
          </li>
        ))}
        {isOpen && unnamed > 0 && <li className="px-3 py-2 text-muted">And {formatCount(unnamed)} more</li>}
      </ul>
      {chats.length > maxShown && (
        <div className="border-t border-line p-1">
          <Button
            look="muted"
            size="small"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Show fewer' : `Show all ${formatCount(count)}`}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Writes the list of the chats that were not imported, to be kept. */
export function writeSkipped(chats: readonly SkippedChat[], count: number): string {
  const lines = chats.map(({ title, problem }) => `${title?.trim() || 'Untitled'}: ${problem}`)
  const unnamed = count - chats.length
  return [...lines, ...(unnamed > 0 ? [`And ${formatCount(unnamed)} more`] : []), ''].join('\n')
}
