import type { ComponentProps, MouseEvent, SyntheticEvent } from 'react'
import { classNames } from '../class-names.ts'
import { useField } from './field.tsx'

/** How every box for input looks. 16 px on touch, since iOS zooms into the page for smaller text. */
export const controlLook =
  'w-full rounded-control border border-line-strong bg-surface px-3 text-sm text-ink transition-colors placeholder:text-muted hover:border-muted focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-danger pointer-coarse:text-base'

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  const ids = useField()
  return (
    <input {...ids} {...rest} className={classNames(controlLook, 'h-9 pointer-coarse:h-10', className)} />
  )
}

export interface SecretInputProps extends ComponentProps<typeof TextInput> {
  /** The box holds the mask of a stored secret, whose characters are not the secret's: it can only be replaced whole. */
  readonly isMask: boolean
}

/** A box for a secret, whose characters are hidden while they are typed. */
export function SecretInput({ isMask, ...rest }: SecretInputProps) {
  return <TextInput {...rest} type="password" autoComplete="new-password" {...(isMask ? keepWhole : {})} />
}

const keepWhole = { onFocus: selectAll, onSelect: selectAll, onMouseDown: keepSelection }

/** A press into a selection would place the caret there. */
function keepSelection(event: MouseEvent<HTMLInputElement>): void {
  if (document.activeElement === event.currentTarget) event.preventDefault()
}

function selectAll({ currentTarget: box }: SyntheticEvent<HTMLInputElement>): void {
  if (box.selectionStart !== 0 || box.selectionEnd !== box.value.length) box.select()
}
