import type { ComponentProps } from 'react'
import { classNames } from '../class-names.ts'
import { useField } from './field.tsx'
import { controlLook } from './text-input.tsx'

export type TextAreaProps = Omit<ComponentProps<'textarea'>, 'className' | 'style' | 'autoFocus' | 'rows'>

/** A text box of several lines, which grows with its text from 4 to 12 lines and then scrolls. */
export function TextArea(props: TextAreaProps) {
  const attributes = useField()
  return (
    <textarea
      dir="auto"
      {...attributes}
      {...props}
      rows={4}
      className={classNames(
        controlLook,
        'field-sizing-content max-h-[calc(12lh+1rem)] min-h-[calc(4lh+1rem)] resize-none px-3 py-2 leading-normal',
      )}
    />
  )
}
