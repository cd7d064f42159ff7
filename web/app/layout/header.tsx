import { CodeXml, Search, SquarePen } from 'lucide-react'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { IconButton, IconLink } from '../../ui/button/icon-button.tsx'
import { HeaderSlot } from '../../ui/header-slot.tsx'
import { useShortcut } from '../../ui/shortcut/shortcut.ts'
import { AccountMenu, type AccountMenuProps } from './account-menu.tsx'
import { BrandLink } from './brand-link.tsx'

const searchShortcut = 'mod+k'
const newChatShortcut = 'mod+shift+o'

export interface HeaderProps extends AccountMenuProps {
  /** The address of the source repository. */
  readonly sourceUrl: string
  readonly onSearch: () => void
  /** Shown under the bar; the header grows by it. */
  readonly children?: ReactNode
}

/** The bar above every screen of a signed-in user. */
export function Header({ user, sourceUrl, onSignOut, onSearch, children }: HeaderProps) {
  const navigate = useNavigate()
  const startChat = () => void navigate('/')
  useShortcut(searchShortcut, onSearch)
  useShortcut(newChatShortcut, startChat)
  return (
    // Text that is scrolled under the header fades instead of being cut.
    <header className="sticky top-0 z-30 bg-page after:pointer-events-none after:absolute after:inset-x-0 after:top-full after:h-4 after:bg-linear-to-b after:from-page after:to-transparent">
      <div className="flex h-header items-center justify-between gap-2 px-3 sm:px-5">
        <div className="flex items-center gap-1">
          <HeaderSlot />
          <BrandLink />
        </div>
        <div className="flex items-center gap-1">
          <IconButton label="New chat" shortcut={newChatShortcut} onClick={startChat}>
            <SquarePen size={18} aria-hidden />
          </IconButton>
          <IconButton label="Search chats" shortcut={searchShortcut} onClick={onSearch}>
            <Search size={18} aria-hidden />
          </IconButton>
          <IconLink label="Source code" href={sourceUrl}>
            <CodeXml size={18} aria-hidden />
          </IconLink>
          <span className="ml-1 inline-flex">
            <AccountMenu user={user} onSignOut={onSignOut} />
          </span>
        </div>
      </div>
      {children}
    </header>
  )
}
