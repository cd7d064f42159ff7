import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { classNames } from '../class-names.ts'
import { useMenuClose } from './use-menu.ts'

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

export interface MenuChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string; readonly icon: ReactNode }[]
  readonly onChange: (value: Value) => void
}

/** One choice among a few, side by side in a menu. It leaves the menu open, so that the effect can be seen. */
export function MenuChoice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: MenuChoiceProps<Value>) {
  return (
    <fieldset aria-label={label} className="flex gap-1 rounded-control bg-sunken p-1">
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="menuitemradio"
          aria-checked={option.value === value}
          tabIndex={-1}
          onClick={() => onChange(option.value)}
          className={classNames(
            'touch-target flex flex-1 flex-col items-center justify-center gap-1 rounded-[6px] py-1.5 text-xs transition-colors',
            option.value === value ? 'bg-surface text-ink ring-1 ring-line' : 'text-muted hover:text-ink',
          )}
        >
          {option.icon}
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}

export function MenuLine() {
  return <hr className="mx-1 my-1.5 border-line" />
}
