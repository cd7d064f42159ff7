import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { formatAriaShortcut } from '../shortcut/shortcut.ts'
import { Tooltip } from '../tooltip/tooltip.tsx'

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  /** The name that is read out, and the tooltip. */
  readonly label: string
  /** For example `mod+k`; shown in the tooltip. */
  readonly shortcut?: string
  readonly look?: 'plain' | 'primary'
  readonly size?: 'small' | 'medium'
  readonly children: ReactNode
}

/** A button that is only an icon. Given a native `title`, it leaves its own tooltip away. */
export function IconButton({
  label,
  shortcut,
  look = 'plain',
  size = 'medium',
  className,
  children,
  ...rest
}: IconButtonProps) {
  const button = (
    <button
      type="button"
      aria-label={label}
      aria-keyshortcuts={shortcut === undefined ? undefined : formatAriaShortcut(shortcut)}
      {...rest}
      className={classNames(
        'touch-target inline-flex shrink-0 items-center justify-center rounded-control transition-colors disabled:opacity-40',
        size === 'small' ? 'size-8' : 'size-9',
        look === 'primary'
          ? 'bg-accent text-on-accent hover:bg-accent-hover'
          : 'text-muted hover:bg-hover hover:text-ink active:bg-pressed',
        className,
      )}
    >
      {children}
    </button>
  )
  if (rest.title !== undefined) return button
  return (
    <Tooltip text={label} shortcut={shortcut}>
      {button}
    </Tooltip>
  )
}
