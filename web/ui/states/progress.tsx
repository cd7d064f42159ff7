import { classNames } from '../class-names.ts'
import { SpinnerIcon } from '../icons/first-page-icons.tsx'

/** A spinner. Screen readers announce its label; without a label, the text next to it must say what is loading. */
export function Spinner({ label, size = 16 }: { readonly label?: string; readonly size?: number }) {
  const icon = <SpinnerIcon size={size} />
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
