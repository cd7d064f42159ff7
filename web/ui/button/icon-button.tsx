import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { formatAriaShortcut } from '../shortcut/shortcut.ts'
import { Tooltip } from '../tooltip/tooltip.tsx'

const looks = {
  plain: 'text-muted hover:bg-hover hover:text-ink active:bg-pressed',
  accent: 'bg-accent-soft text-accent',
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  floating: 'bg-surface text-muted shadow-float hover:text-ink',
} as const

interface IconLook {
  /** `floating` is for a button that floats over the page. */
  readonly look?: keyof typeof looks | undefined
  readonly size?: 'small' | 'medium' | undefined
  readonly shape?: 'rounded' | 'round' | undefined
}

function iconClasses({ look = 'plain', size = 'medium', shape = 'rounded' }: IconLook): string {
  return classNames(
    'touch-target inline-flex shrink-0 items-center justify-center transition-colors disabled:opacity-40 aria-disabled:opacity-40 aria-pressed:bg-pressed aria-pressed:text-ink',
    size === 'small' ? 'size-8' : 'size-9',
    shape === 'round' ? 'rounded-full' : 'rounded-control',
    looks[look],
  )
}

export interface IconButtonProps
  extends IconLook, Omit<ComponentProps<'button'>, 'children' | 'aria-label' | 'className' | 'style'> {
  /** The accessible name, and the text of the tooltip. */
  readonly label: string
  /** For example `mod+k`; shown in the tooltip. */
  readonly shortcut?: string
  readonly children: ReactNode
}

/** A button that shows only an icon. It has a tooltip unless the native `title` is set. */
export function IconButton({ label, shortcut, look, size, shape, children, ...rest }: IconButtonProps) {
  const button = (
    <button
      type="button"
      aria-label={label}
      aria-keyshortcuts={shortcut === undefined ? undefined : formatAriaShortcut(shortcut)}
      {...rest}
      className={iconClasses({ look, size, shape })}
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

export interface IconLinkProps {
  /** The accessible name, and the text of the tooltip. */
  readonly label: string
  readonly href: string
  readonly children: ReactNode
}

/** A link to another site that shows only an icon; it opens in a new tab. */
export function IconLink({ label, href, children }: IconLinkProps) {
  return (
    <Tooltip text={label}>
      <a href={href} target="_blank" rel="noreferrer" aria-label={label} className={iconClasses({})}>
        {children}
      </a>
    </Tooltip>
  )
}
