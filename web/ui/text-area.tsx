import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { controlLook } from './control-look.ts'
import { useField } from './use-field.ts'

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  const ids = useField()
  return <textarea {...ids} {...rest} className={classNames(controlLook, 'py-2', className)} />
}
