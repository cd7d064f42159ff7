import { Archive, ListFilter, Trash2 } from 'lucide-react'
import { use, useRef, useState } from 'react'
import { SelfServiceContext } from '../../data/self-service.ts'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { MenuItem } from '../../ui/menu/menu.tsx'
import { PopupMenu, type MenuPlace } from '../../ui/menu/popup-menu.tsx'

/** A menu that opens the pages of the chats that are not in the list. `onOpen` is called when one is opened. */
export function ShowOnlyMenu({ onOpen }: { readonly onOpen?: (() => void) | undefined }) {
  const canDelete = use(SelfServiceContext)
  const button = useRef<HTMLButtonElement>(null)
  const [at, setAt] = useState<MenuPlace>()
  return (
    <>
      <IconButton
        ref={button}
        label="Show only"
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
