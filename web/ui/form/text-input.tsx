import { Search } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from '../class-names.ts'
import { useField } from './field.tsx'

/** The classes of text boxes and selects with a border. On touch screens iOS zooms in on text smaller than 16 px. */
export const controlLook =
  'w-full rounded-control border border-line-strong bg-surface text-sm text-ink transition-colors placeholder:text-muted hover:border-muted focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-danger pointer-coarse:text-base'

export type TextInputProps = Omit<ComponentProps<'input'>, 'className' | 'style' | 'autoFocus'>

/** A single-line text box. A read-only one has a darker background. */
export function TextInput(props: TextInputProps) {
  const attributes = useField()
  return (
    <input
      {...attributes}
      {...props}
      className={classNames(controlLook, 'h-9 px-3 pointer-coarse:h-10 [&[readonly]]:bg-sunken')}
    />
  )
}

export interface SearchInputProps extends Omit<TextInputProps, 'type'> {
  readonly 'aria-label': string
  /** `bare` has no border, for the search box at the top of a dialog. */
  readonly look?: 'boxed' | 'bare'
}

/** A search box. */
export function SearchInput({ look = 'boxed', ...rest }: SearchInputProps) {
  const isBoxed = look === 'boxed'
  return (
    <span className="relative flex w-full min-w-0 items-center">
      <Search
        size={isBoxed ? 15 : 18}
        aria-hidden
        className={classNames('pointer-events-none absolute text-muted', isBoxed ? 'left-3' : 'left-0')}
      />
      <input
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        {...rest}
        type="search"
        className={classNames(
          '[&::-webkit-search-cancel-button]:hidden',
          isBoxed
            ? classNames(controlLook, 'h-9 pr-3 pl-9 pointer-coarse:h-10')
            : 'h-11 w-full bg-transparent pl-7.5 text-base outline-none placeholder:text-muted',
        )}
      />
    </span>
  )
}
