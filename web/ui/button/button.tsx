import type { ComponentProps } from 'react'
import { classNames } from '../class-names.ts'
import { Spinner } from '../states/progress.tsx'

const looks = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover active:bg-accent-hover',
  quiet: 'border border-line-strong bg-surface text-ink hover:bg-hover active:bg-pressed',
  plain: 'text-ink hover:bg-hover active:bg-pressed',
  danger: 'bg-danger text-on-danger hover:bg-danger-hover active:bg-danger-hover',
} as const

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: keyof typeof looks
  readonly size?: 'small' | 'medium'
  /** Shows a spinner and takes no further click, but keeps the focus. */
  readonly busy?: boolean
  /** The button that has the focus when a dialog opens. */
  readonly 'data-autofocus'?: boolean
}

export function Button({
  look = 'quiet',
  size = 'medium',
  busy = false,
  className,
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
        // A submit button that is busy must not submit again.
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
      className={classNames(
        'touch-target inline-flex items-center justify-center gap-2 rounded-control font-medium whitespace-nowrap transition-colors disabled:opacity-50',
        size === 'small' ? 'h-8 px-3 text-sm' : 'h-9 px-4 text-sm',
        looks[look],
        className,
      )}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}
