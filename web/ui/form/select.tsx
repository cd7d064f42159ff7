import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from '../class-names.ts'
import { useField } from './field.tsx'
import { controlLook } from './text-input.tsx'

/** The options of a `Select`. `names` has the text that the user sees, by the value of the option. */
export function NamedOptions({ names }: { readonly names: Readonly<Record<string, string>> }) {
  return Object.entries(names).map(([value, name]) => (
    <option key={value} value={value}>
      {name}
    </option>
  ))
}

export interface SelectProps extends Omit<ComponentProps<'select'>, 'className' | 'style'> {
  /** `quiet` has no border and is as wide as the selected option, for a select inside another block. */
  readonly look?: 'boxed' | 'quiet'
}

/** The browser's native select, since its list suits every device. */
export function Select({ look = 'boxed', children, ...rest }: SelectProps) {
  const attributes = useField()
  const isBoxed = look === 'boxed'
  return (
    <span className="relative inline-flex min-w-0 items-center">
      <select
        {...attributes}
        {...rest}
        className={
          isBoxed
            ? classNames(controlLook, 'h-9 appearance-none truncate pr-8 pl-3 pointer-coarse:h-10')
            : 'field-sizing-content h-8 w-full min-w-0 appearance-none truncate rounded-control bg-transparent pr-7 pl-2 text-sm text-muted transition-colors hover:bg-hover hover:text-ink disabled:opacity-60 pointer-coarse:h-10'
        }
      >
        {children}
      </select>
      <ChevronDown
        size={14}
        aria-hidden
        className={classNames('pointer-events-none absolute text-muted', isBoxed ? 'right-3' : 'right-2')}
      />
    </span>
  )
}
