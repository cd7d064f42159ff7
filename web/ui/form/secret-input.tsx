import type { ComponentProps, MouseEvent, SyntheticEvent } from 'react'
import { TextInput } from './text-input.tsx'

export interface SecretInputProps extends ComponentProps<typeof TextInput> {
  /** The box holds the mask of a stored secret, which can only be replaced as a whole: its characters are not the secret's. */
  readonly isMask: boolean
}

/** A box for a secret, whose characters are hidden while they are typed. */
export function SecretInput({ isMask, ...rest }: SecretInputProps) {
  return <TextInput {...rest} type="password" autoComplete="new-password" {...(isMask ? keepWhole : {})} />
}

const keepWhole = { onFocus: selectWhole, onSelect: selectWhole, onMouseDown: keepSelection }

/** A press into a selection would place the caret there. */
function keepSelection(event: MouseEvent<HTMLInputElement>): void {
  if (document.activeElement === event.currentTarget) event.preventDefault()
}

function selectWhole({ currentTarget: box }: SyntheticEvent<HTMLInputElement>): void {
  if (box.selectionStart !== 0 || box.selectionEnd !== box.value.length) box.select()
}
