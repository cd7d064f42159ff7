import {
  Archive,
  ArchiveRestore,
  CheckCheck,
  Download,
  FolderInput,
  Mail,
  MailOpen,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Trash2,
} from 'lucide-react'
import type { ListRow } from '../../data/chat-list.ts'
import { MenuItem, MenuLine } from '../../ui/menu/menu.tsx'
import { PopupMenu, type MenuPlace } from '../../ui/menu/popup-menu.tsx'
import type { ChatActions } from './chat-actions.tsx'

const iconPx = 16

export interface ChatMenuProps {
  readonly chat: ListRow
  readonly at: MenuPlace
  readonly actions: ChatActions
  readonly onClose: (byUser: boolean) => void
  /** Absent where titles are not edited in place. */
  readonly onRename?: (() => void) | undefined
  /** Begins to select several chats; absent where one chat is shown. */
  readonly onSelect?: (() => void) | undefined
}

/** What can be done with a chat. Deleting is last and not red: it can be undone. */
export function ChatMenu({ chat, at, actions, onClose, onRename, onSelect }: ChatMenuProps) {
  const { id } = chat
  const change = (name: 'pinned' | 'unread' | 'archived', value: boolean) => () =>
    actions.change([id], { [name]: value })
  return (
    <PopupMenu label={`Actions for ${chat.title}`} at={at} onClose={onClose}>
      {onRename && (
        <MenuItem icon={<Pencil size={iconPx} aria-hidden />} hint="F2" onSelect={onRename}>
          Rename
        </MenuItem>
      )}
      <MenuItem
        icon={chat.pinned ? <PinOff size={iconPx} aria-hidden /> : <Pin size={iconPx} aria-hidden />}
        onSelect={change('pinned', chat.pinned !== true)}
      >
        {chat.pinned ? 'Unpin' : 'Pin'}
      </MenuItem>
      <MenuItem icon={<FolderInput size={iconPx} aria-hidden />} onSelect={() => actions.move([id])}>
        Move to project…
      </MenuItem>
      <MenuItem
        icon={chat.unread ? <MailOpen size={iconPx} aria-hidden /> : <Mail size={iconPx} aria-hidden />}
        onSelect={change('unread', chat.unread !== true)}
      >
        {chat.unread ? 'Mark as read' : 'Mark as unread'}
      </MenuItem>
      {onSelect && (
        <MenuItem icon={<CheckCheck size={iconPx} aria-hidden />} onSelect={onSelect}>
          Select
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem icon={<Share2 size={iconPx} aria-hidden />} onSelect={() => actions.share(id)}>
        Share
      </MenuItem>
      {actions.export && (
        <MenuItem icon={<Download size={iconPx} aria-hidden />} onSelect={() => actions.export?.(chat)}>
          Export…
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem
        icon={
          chat.archived ? <ArchiveRestore size={iconPx} aria-hidden /> : <Archive size={iconPx} aria-hidden />
        }
        onSelect={change('archived', chat.archived !== true)}
      >
        {chat.archived ? 'Unarchive' : 'Archive'}
      </MenuItem>
      {actions.canDelete && (
        <MenuItem
          icon={<Trash2 size={iconPx} aria-hidden />}
          hint="Del"
          onSelect={() => actions.change([id], { deleted: true })}
        >
          Delete
        </MenuItem>
      )}
    </PopupMenu>
  )
}
