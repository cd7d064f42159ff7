import { useId, type ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { MenuContext, useMenu } from './use-menu.ts'

export interface MenuProps {
  /** The accessible name of the trigger and of the menu. */
  readonly label: string
  readonly trigger: ReactNode
  readonly shape?: 'rounded' | 'round'
  /** The edge of the trigger with which the menu is aligned. */
  readonly align?: 'start' | 'end'
  /** Menu items, menu choices and menu lines. */
  readonly children: ReactNode
}

/** A button that opens a menu below it. */
export function Menu({ label, trigger, shape = 'rounded', align = 'end', children }: MenuProps) {
  const menu = useMenu()
  const id = useId()
  return (
    <div {...menu.root} className="relative inline-flex">
      <button
        {...menu.trigger}
        type="button"
        id={id}
        aria-label={label}
        className={classNames(
          'touch-target inline-flex items-center justify-center p-0.5 transition-colors hover:bg-pressed',
          shape === 'round' ? 'rounded-full' : 'rounded-control',
        )}
      >
        {trigger}
      </button>
      {menu.open && (
        // Padding instead of a gap, so that the pointer can move from the trigger to the panel without leaving the
        // menu.
        <div className={classNames('absolute top-full z-40 pt-1.5', align === 'end' ? 'right-0' : 'left-0')}>
          <div
            {...menu.panel}
            aria-labelledby={id}
            tabIndex={-1}
            className="max-h-below-header w-60 max-w-floating animate-appear overflow-y-auto rounded-card bg-surface p-1.5 shadow-float"
          >
            <MenuContext value={menu.controls}>{children}</MenuContext>
          </div>
        </div>
      )}
    </div>
  )
}
