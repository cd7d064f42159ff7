import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useMenuClose } from './use-menu-close.ts'

export interface MenuItemProps {
  readonly icon?: ReactNode
  /** An address inside the application; without it the item calls `onSelect`. */
  readonly to?: string
  readonly onSelect?: () => void
  readonly children: ReactNode
}

export const menuItemLook =
  'flex w-full items-center gap-2.5 rounded-control px-2.5 py-2 text-left text-sm transition-colors hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px] pointer-coarse:py-2.5'

export function MenuItem({ icon, to, onSelect, children }: MenuItemProps) {
  const close = useMenuClose()
  const select = () => {
    close()
    onSelect?.()
  }
  const inside = (
    <>
      {icon !== undefined && <span className="text-muted">{icon}</span>}
      {children}
    </>
  )
  return to === undefined ? (
    <button type="button" role="menuitem" tabIndex={-1} onClick={select} className={menuItemLook}>
      {inside}
    </button>
  ) : (
    <Link to={to} role="menuitem" tabIndex={-1} onClick={select} className={menuItemLook}>
      {inside}
    </Link>
  )
}
