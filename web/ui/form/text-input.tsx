import type { ComponentProps } from 'react'
import { classNames } from '../class-names.ts'
import { controlLook } from './control-look.ts'
import { useField } from './use-field.ts'

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  const ids = useField()
  return (
    <input {...ids} {...rest} className={classNames(controlLook, 'h-9 pointer-coarse:h-10', className)} />
  )
}
