import { classNames } from '../class-names.ts'

/** A grey stand-in with the shape of what comes; its size is given by `className`. */
export function Skeleton({ className }: { readonly className: string }) {
  return (
    <span aria-hidden className={classNames('block animate-pulse rounded-control bg-pressed', className)} />
  )
}
