import type { ComponentProps } from 'react'
import { classNames } from '../class-names.ts'
import { buttonLooks, buttonShape, buttonSizes } from './button.tsx'

export interface ButtonLinkProps extends Omit<ComponentProps<'a'>, 'className' | 'style'> {
  readonly href: string
  readonly look?: keyof typeof buttonLooks
}

/** A link to another page that is as important as a button. */
export function ButtonLink({ look = 'quiet', children, ...rest }: ButtonLinkProps) {
  return (
    <a {...rest} className={classNames(buttonShape, buttonSizes.medium, buttonLooks[look])}>
      {children}
    </a>
  )
}
