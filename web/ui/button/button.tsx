import type { ComponentProps } from 'react'
import { classNames } from '../class-names.ts'
import { Spinner } from '../states/progress.tsx'

export const buttonLooks = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover active:bg-accent-hover',
  quiet: 'border border-line-strong bg-surface text-ink hover:bg-hover active:bg-pressed',
  plain: 'text-ink hover:bg-hover active:bg-pressed',
  muted: 'text-muted hover:bg-hover hover:text-ink active:bg-pressed',
  danger: 'bg-danger text-on-danger hover:bg-danger-hover active:bg-danger-hover',
} as const

export const buttonSizes = { small: 'h-8 px-3', medium: 'h-9 px-4', large: 'h-11 w-full px-5' } as const

/**
 * To keep the width of a button whose text changes, put it into a `<span>` with `grid` and a width or minimum width: it
 * fills the grid cell.
 */
export interface ButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'style' | 'autoFocus'> {
  readonly look?: keyof typeof buttonLooks
  /** `large` is for the main actions of a page, and as wide as the element around it. */
  readonly size?: keyof typeof buttonSizes
  /** Shows a spinner and ignores clicks, but keeps the focus. */
  readonly busy?: boolean
}

export const buttonShape =
  'touch-target inline-flex items-center justify-center gap-2 rounded-control text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50'

export function Button({
  look = 'quiet',
  size = 'medium',
  busy = false,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
      onClick={(event) => {
        // A busy submit button must not submit again.
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
      className={classNames(buttonShape, buttonSizes[size], buttonLooks[look])}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}

interface ButtonLinkProps extends Omit<ComponentProps<'a'>, 'className' | 'style'> {
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
