import type { ChatsChange } from '@yonder/contract/chat-list'
import { Archive, FolderInput, Mail, Trash2, X } from 'lucide-react'
import { Button } from '../../ui/button/button.tsx'
import { IconButton } from '../../ui/button/icon-button.tsx'
import type { ChatActions } from './chat-actions.tsx'

const iconPx = 16

export interface SelectionBarProps {
  /** What is selected: these chats, or all that match. */
  readonly selected: ChatsChange['chats']
  /** How many chats are selected; undefined for all that match. */
  readonly count: number | undefined
  /** Selects all that match; absent when they are selected. */
  readonly onAll: (() => void) | undefined
  readonly actions: ChatActions
  readonly onEnd: () => void
}

/** What is done with the selected chats. */
export function SelectionBar({ selected, count, onAll, actions, onEnd }: SelectionBarProps) {
  const act = (run: () => void) => () => {
    run()
    onEnd()
  }
  return (
    <div
      role="toolbar"
      aria-label="Selected chats"
      className="m-2 mt-0 flex flex-col gap-0.5 rounded-card bg-surface p-1.5 shadow-float"
    >
      <div className="flex items-center gap-2 pl-2 text-sm">
        <output className="min-w-0 flex-1 truncate font-medium tabular-nums">
          {count === undefined ? 'All that match' : `${count.toLocaleString('en')} selected`}
        </output>
        {onAll && (
          <Button look="plain" size="small" onClick={onAll}>
            Select all
          </Button>
        )}
        <IconButton label="Select none" size="small" onClick={onEnd}>
          <X size={iconPx} aria-hidden />
        </IconButton>
      </div>
      <div className="flex items-center gap-1">
        <IconButton label="Move to project" size="small" onClick={act(() => actions.move(selected))}>
          <FolderInput size={iconPx} aria-hidden />
        </IconButton>
        <IconButton
          label="Mark as unread"
          size="small"
          onClick={act(() => actions.change(selected, { unread: true }))}
        >
          <Mail size={iconPx} aria-hidden />
        </IconButton>
        <IconButton
          label="Archive"
          size="small"
          onClick={act(() => actions.change(selected, { archived: true }))}
        >
          <Archive size={iconPx} aria-hidden />
        </IconButton>
        {actions.canDelete && (
          <IconButton
            label="Delete"
            size="small"
            onClick={act(() => actions.change(selected, { deleted: true }))}
          >
            <Trash2 size={iconPx} aria-hidden />
          </IconButton>
        )}
      </div>
    </div>
  )
}
