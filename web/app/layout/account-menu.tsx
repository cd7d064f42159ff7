import { FileText, LogOut, Settings, ShieldCheck } from 'lucide-react'
import { ThemeChoice } from '../../features/preferences/theme-controls.tsx'
import { Avatar } from '../../ui/icons/avatar.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu/menu.tsx'
import type { SignedInUser } from '../signed-in-user.ts'

export interface AccountMenuProps {
  readonly user: SignedInUser
  readonly onSignOut: () => void
}

/** The avatar and its menu. */
export function AccountMenu({ user, onSignOut }: AccountMenuProps) {
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
