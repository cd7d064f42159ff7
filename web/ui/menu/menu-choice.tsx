import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'

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
