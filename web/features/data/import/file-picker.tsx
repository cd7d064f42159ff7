import { useRef } from 'react'
import { Button, type ButtonProps } from '../../../ui/button/button.tsx'

export interface FilePickerProps extends Omit<ButtonProps, 'onClick'> {
  readonly onChoose: (files: readonly File[]) => void
}

/** A button that opens the dialog of the browser which chooses the files of an export. */
export function FilePicker({ onChoose, ...rest }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button {...rest} data-next-focus onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        accept=".zip,.json,application/zip,application/json"
        hidden
        onChange={({ currentTarget }) => {
          // A copy, because emptying the input, with which it reports the same file again, empties its list.
          onChoose([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
    </>
  )
}
