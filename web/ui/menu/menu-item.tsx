import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { classNames } from '../class-names.ts'
import { useMenuControls } from './use-menu.ts'

export interface MenuItemProps {
  readonly icon?: ReactNode
  /** A path inside the application, for an item that is a link. */
  readonly to?: string
  readonly onSelect?: () => void
  readonly children: ReactNode
}

const itemLook =
  'flex w-full items-center gap-2.5 rounded-control px-2.5 py-2 text-left text-sm transition-colors hover:bg-hover focus-visible:bg-hover focus-visible:-outline-offset-2 pointer-coarse:py-2.5'

/** A menu item that runs a command or follows a link, and closes the menu. */
export function MenuItem({ icon, to, onSelect, children }: MenuItemProps) {
  const { addItem, close } = useMenuControls()
  const select = () => {
    close()
    onSelect?.()
  }
  const content = (
    <>
      {icon !== undefined && <span className="text-muted">{icon}</span>}
      {children}
    </>
  )
  return to === undefined ? (
    <button ref={addItem} type="button" role="menuitem" tabIndex={-1} onClick={select} className={itemLook}>
      {content}
    </button>
  ) : (
    <Link ref={addItem} to={to} role="menuitem" tabIndex={-1} onClick={select} className={itemLook}>
      {content}
    </Link>
  )
}

export interface MenuChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string; readonly icon: ReactNode }[]
  readonly onChange: (value: Value) => void
}

/** A choice between a few options, side by side. It leaves the menu open, so that the user sees the effect. */
export function MenuChoice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: MenuChoiceProps<Value>) {
  const { addItem } = useMenuControls()
  return (
    <fieldset aria-label={label} className="flex gap-1 rounded-control bg-sunken p-1">
      {options.map((option) => (
        <button
          key={option.value}
          ref={addItem}
          type="button"
          role="menuitemradio"
          aria-checked={option.value === value}
          tabIndex={-1}
          onClick={() => onChange(option.value)}
          className={classNames(
            'touch-target flex flex-1 flex-col items-center justify-center gap-1 rounded-inner py-1.5 text-xs transition-colors',
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

/** A line between groups of items. */
export function MenuLine() {
  return <hr className="mx-1 my-1.5 border-line" />
}
