import { CodeXml, FileText, LogOut, PanelLeft, Search, Settings, ShieldCheck, SquarePen } from 'lucide-react'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useMarkCounts } from '../../data/chat-list.ts'
import type { ListLayout } from '../../features/chat-list/list-layout.ts'
import type { IdentityUser } from '../../features/identity/session-store.ts'
import { ThemeChoice } from '../../features/preferences/theme-controls.tsx'
import { IconButton, IconLink } from '../../ui/button/icon-button.tsx'
import { HeaderSlot } from '../../ui/header-slot.tsx'
import { Avatar } from '../../ui/icons/avatar.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu/menu.tsx'
import { useShortcut } from '../../ui/shortcut/shortcut.ts'
import { BrandLink } from './brand-link.tsx'

const searchShortcut = 'mod+k'
const newChatShortcut = 'mod+shift+o'
const listShortcut = 'mod+b'

export interface HeaderProps extends AccountMenuProps {
  /** The address of the source repository. */
  readonly sourceUrl: string
  readonly list: Pick<ListLayout, 'isDocked' | 'isOpen' | 'setOpen'>
  readonly onSearch: () => void
  /** Shown under the bar; the header grows by it. */
  readonly children?: ReactNode
}

/** The bar above every screen of a signed-in user. */
export function Header({ user, sourceUrl, list, onSignOut, onSearch, children }: HeaderProps) {
  const navigate = useNavigate()
  const startChat = () => void navigate('/')
  const { waiting } = useMarkCounts()
  const isListMarked = waiting > 0 && !list.isOpen
  useShortcut(searchShortcut, onSearch)
  useShortcut(newChatShortcut, startChat)
  useShortcut(listShortcut, () => list.setOpen(!list.isOpen, 'key'))
  return (
    // Text that is scrolled under the header fades instead of being cut.
    <header className="sticky top-0 z-30 bg-page after:pointer-events-none after:absolute after:inset-x-0 after:top-full after:h-4 after:fade-from-page">
      <div className="relative flex h-header items-center justify-between gap-2 px-3 sm:px-5">
        <div className="flex items-center gap-1">
          <IconButton
            label={
              isListMarked
                ? `Chats, ${waiting} ${waiting === 1 ? 'call waits' : 'calls wait'} for you`
                : 'Chats'
            }
            shortcut={listShortcut}
            aria-expanded={list.isOpen}
            aria-haspopup={list.isDocked ? undefined : 'dialog'}
            // Enter and Space have no number of clicks.
            onClick={({ detail }) => list.setOpen(!list.isOpen, detail === 0 ? 'key' : 'pointer')}
          >
            <span aria-hidden className="relative">
              <PanelLeft size={18} />
              {isListMarked && (
                <span className="absolute -top-1 -right-1 size-2 rounded-full bg-accent outline-2 outline-page" />
              )}
            </span>
          </IconButton>
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

interface AccountMenuProps {
  readonly user: IdentityUser
  readonly onSignOut: () => void
}

/** The avatar and its menu. */
function AccountMenu({ user, onSignOut }: AccountMenuProps) {
  const name = user.name || user.email || 'User'
  return (
    <Menu label="Account" trigger={<Avatar name={name} picture={user.picture} size={30} />}>
      <div role="presentation" className="px-2.5 pt-1.5 pb-2.5">
        <p className="truncate text-sm font-medium">{name}</p>
        {user.email && user.email !== name && <p className="truncate text-xs text-muted">{user.email}</p>}
      </div>
      <ThemeChoice />
      <MenuLine />
      <MenuItem to="/settings" icon={<Settings size={16} aria-hidden />}>
        Settings
      </MenuItem>
      <MenuItem to="/terms" icon={<FileText size={16} aria-hidden />}>
        Terms of Service
      </MenuItem>
      <MenuItem to="/privacy" icon={<ShieldCheck size={16} aria-hidden />}>
        Privacy Policy
      </MenuItem>
      <MenuLine />
      <MenuItem onSelect={onSignOut} icon={<LogOut size={16} aria-hidden />}>
        Sign out
      </MenuItem>
    </Menu>
  )
}
