import { classNames } from '../class-names.ts'

/** The look of the icon library, which is loaded after the bundle `first-page` of `vite.config.ts`. */
export const iconLook = {
  'aria-hidden': true,
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

/** A spinner. Screen readers announce its label; without a label, the text next to it must say what is loading. */
export function Spinner({ label, size = 16 }: { readonly label?: string; readonly size?: number }) {
  const icon = (
    <svg
      {...iconLook}
      width={size}
      height={size}
      className="shrink-0 animate-spin motion-reduce:animate-pulse"
    >
      <path d="M21 12a9 9 0 1 1-6.219-8.56" />
    </svg>
  )
  if (label === undefined) return icon
  return (
    <output className="inline-flex text-muted">
      {icon}
      <span className="sr-only">{label}</span>
    </output>
  )
}

const skeletonShapes = { line: 'rounded-control', block: 'rounded-block', circle: 'rounded-full' } as const

export interface SkeletonProps {
  readonly shape?: keyof typeof skeletonShapes
  /** The classes of the size, which is that of the content. By default it fills its parent. */
  readonly size?: string
}

/** A grey placeholder for content that is loading. */
export function Skeleton({ shape = 'line', size = 'size-full' }: SkeletonProps) {
  return (
    <span aria-hidden className={classNames('block animate-pulse bg-pressed', skeletonShapes[shape], size)} />
  )
}
