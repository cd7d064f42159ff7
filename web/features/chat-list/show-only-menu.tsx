import { Archive, Hand, ListFilter, Mail, Trash2 } from 'lucide-react'
import { use, useState, type ReactNode, type RefObject } from 'react'
import { SelfServiceContext } from '../../data/self-service.ts'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { MenuItem, MenuLine } from '../../ui/menu/menu.tsx'
import { PopupMenu, type MenuPlace } from '../../ui/menu/popup-menu.tsx'

/** Marks of which the list can show the chats alone, as the sections of the server are named. */
const marks = ['unread', 'waiting'] as const
export type Mark = (typeof marks)[number]

export const markLabels: Readonly<Record<Mark, string>> = {
  unread: 'Unread',
  waiting: 'Waiting for approval',
}

const markIcons: Readonly<Record<Mark, ReactNode>> = {
  unread: <Mail size={16} aria-hidden />,
  waiting: <Hand size={16} aria-hidden />,
}

export interface ShowOnlyMenuProps {
  readonly ref: RefObject<HTMLButtonElement | null>
  /** The mark of the chats that are listed alone; undefined for all chats. */
  readonly only: Mark | undefined
  readonly onOnly: (mark: Mark | undefined) => void
  /** Called when a page is opened. */
  readonly onOpen?: (() => void) | undefined
}

/** A menu that lists only the chats with a mark, or opens the pages of the chats that are not in the list. */
export function ShowOnlyMenu({ ref: button, only, onOnly, onOpen }: ShowOnlyMenuProps) {
  const canDelete = use(SelfServiceContext)
  const [at, setAt] = useState<MenuPlace>()
  return (
    <>
      <IconButton
        ref={button}
        label="Show only"
        look={only === undefined ? 'plain' : 'accent'}
        aria-haspopup="menu"
        aria-expanded={at !== undefined}
        onClick={({ currentTarget }) =>
          setAt(at === undefined ? currentTarget.getBoundingClientRect() : undefined)
        }
      >
        <ListFilter size={18} aria-hidden />
      </IconButton>
      {at !== undefined && (
        <PopupMenu
          label="Show only"
          at={at}
          onClose={(byUser) => {
            setAt(undefined)
            if (byUser) button.current?.focus()
          }}
        >
          {marks.map((mark) => (
            <MenuItem
              key={mark}
              icon={markIcons[mark]}
              isChecked={mark === only}
              onSelect={() => onOnly(mark === only ? undefined : mark)}
            >
              {markLabels[mark]}
            </MenuItem>
          ))}
          <MenuLine />
          <MenuItem to="/archived" icon={<Archive size={16} aria-hidden />} onSelect={() => onOpen?.()}>
            Archived
          </MenuItem>
          {canDelete && (
            <MenuItem to="/deleted" icon={<Trash2 size={16} aria-hidden />} onSelect={() => onOpen?.()}>
              Recently deleted
            </MenuItem>
          )}
        </PopupMenu>
      )}
    </>
  )
}
