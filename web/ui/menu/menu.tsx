import { Check } from 'lucide-react'
import { createContext, useContext, useId, type ReactNode } from 'react'
import { Link } from 'react-router'
import { classNames } from '../class-names.ts'
import { useMenu } from './use-menu.ts'

/** Closes the menu of an item. */
export const CloseContext = createContext(() => {})

export interface MenuProps {
  /** The accessible name of the trigger and of the menu. */
  readonly label: string
  readonly trigger: ReactNode
  /** Menu items, menu choices and menu lines. */
  readonly children: ReactNode
}

/** A round button that opens a menu below it, at its right edge. */
export function Menu({ label, trigger, children }: MenuProps) {
  const menu = useMenu()
  const id = useId()
  return (
    <div {...menu.root} className="relative inline-flex">
      <button
        {...menu.trigger}
        type="button"
        id={id}
        aria-label={label}
        className="touch-target inline-flex items-center justify-center rounded-full p-0.5 transition-colors hover:bg-pressed"
      >
        {trigger}
      </button>
      {menu.open && (
        // Padding instead of a gap, so that the pointer can move from the trigger to the panel without leaving the
        // menu.
        <div className="absolute top-full right-0 z-40 pt-1.5">
          <div
            {...menu.panel}
            aria-labelledby={id}
            tabIndex={-1}
            className="max-h-below-header w-60 max-w-floating animate-appear overflow-y-auto rounded-card bg-surface p-1.5 shadow-float"
          >
            <CloseContext value={menu.close}>{children}</CloseContext>
          </div>
        </div>
      )}
    </div>
  )
}

export interface MenuItemProps {
  readonly icon?: ReactNode
  /** A path inside the application, for an item that is a link. */
  readonly to?: string
  readonly onSelect?: () => void
  /** Of an item that is on or off. */
  readonly isChecked?: boolean
  /** The key that does the same, as it is labelled on the keyboard. */
  readonly hint?: string | undefined
  readonly children: ReactNode
}

const itemLook =
  'flex w-full items-center gap-2.5 rounded-control px-2.5 py-2 text-left text-sm transition-colors hover:bg-hover focus-visible:bg-hover focus-visible:-outline-offset-2 pointer-coarse:py-2.5'

/** A menu item that runs a command or follows a link, and closes the menu. */
export function MenuItem({ icon, to, onSelect, isChecked, hint, children }: MenuItemProps) {
  const close = useContext(CloseContext)
  const select = () => {
    close()
    onSelect?.()
  }
  const content = (
    <>
      {icon !== undefined && <span className="text-muted">{icon}</span>}
      {children}
      {isChecked === true && <Check size={16} className="ml-auto text-accent" aria-hidden />}
      {hint !== undefined && <kbd className="ml-auto font-sans text-xs text-muted">{hint}</kbd>}
    </>
  )
  return to === undefined ? (
    <button
      type="button"
      role={isChecked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={isChecked}
      tabIndex={-1}
      onClick={select}
      className={itemLook}
    >
      {content}
    </button>
  ) : (
    <Link to={to} role="menuitem" tabIndex={-1} onClick={select} className={itemLook}>
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
