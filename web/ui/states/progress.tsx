import { LoaderCircle } from 'lucide-react'
import { classNames } from '../class-names.ts'

/** A turning circle. With a label it announces itself; without one, text beside it must say the same. */
export function Spinner({ label, size = 16 }: { readonly label?: string; readonly size?: number }) {
  const icon = <LoaderCircle size={size} className="animate-spin motion-reduce:animate-pulse" aria-hidden />
  if (label === undefined) return icon
  return (
    <output className="inline-flex text-muted">
      {icon}
      <span className="sr-only">{label}</span>
    </output>
  )
}

const skeletonShapes = { line: 'rounded-control', block: 'rounded-block', circle: 'rounded-full' } as const

/** A grey placeholder with the shape of the content to come. It fills the element around it, which gives its size. */
export function Skeleton({ shape = 'line' }: { readonly shape?: keyof typeof skeletonShapes }) {
  return (
    <span
      aria-hidden
      className={classNames('block size-full animate-pulse bg-pressed', skeletonShapes[shape])}
    />
  )
}
