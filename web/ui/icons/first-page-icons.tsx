import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'

// The icons in the bundle `first-page` of `vite.config.ts`. The icon library, whose shapes they have, is loaded later.

interface IconProps {
  readonly size: number
}

/** A ring with a gap that turns. */
export function SpinnerIcon({ size }: IconProps) {
  return (
    <Icon size={size} motion="animate-spin motion-reduce:animate-pulse">
      <path d="M21 12a9 9 0 1 1-6.219-8.56" />
    </Icon>
  )
}

/** An exclamation mark in a circle, for an error. */
export function ErrorIcon({ size }: IconProps) {
  return (
    <Icon size={size}>
      <circle cx="12" cy="12" r="10" />
      <path d="M12 8v4M12 16h.01" />
    </Icon>
  )
}

function Icon({
  size,
  motion,
  children,
}: IconProps & { readonly motion?: string; readonly children: ReactNode }) {
  return (
    <svg
      aria-hidden
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={classNames('shrink-0', motion)}
    >
      {children}
    </svg>
  )
}
