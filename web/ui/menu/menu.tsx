import { useId, type ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { MenuContext, useMenu } from './use-menu.ts'

export interface MenuProps {
  /** The name of the trigger and of the menu. */
  readonly label: string
  readonly trigger: ReactNode
  readonly shape?: 'rounded' | 'round'
  readonly align?: 'start' | 'end'
  /** Menu items, menu choices and menu lines. */
  readonly children: ReactNode
}

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
        // The padding joins the panel to its trigger, so that the pointer does not leave on its way.
        <div className={classNames('absolute top-full z-40 pt-1.5', align === 'end' ? 'right-0' : 'left-0')}>
          <div
            {...menu.panel}
            aria-labelledby={id}
            tabIndex={-1}
            className="w-60 max-w-[calc(100vw-1.5rem)] animate-appear rounded-card bg-surface p-1.5 shadow-float"
          >
            <MenuContext value={menu.hide}>{children}</MenuContext>
          </div>
        </div>
      )}
    </div>
  )
}
