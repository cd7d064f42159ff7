import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'

/** The box of an import, which changes in its place. */
export function Card({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex min-h-32 flex-col gap-3 rounded-card border border-line bg-surface px-4 py-4 sm:px-5">
      {children}
    </div>
  )
}

const barLook = classNames(
  'block h-1 w-full appearance-none overflow-hidden rounded-mark bg-pressed',
  '[&::-webkit-progress-bar]:bg-transparent',
  '[&::-webkit-progress-value]:rounded-mark [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]',
  '[&::-moz-progress-bar]:rounded-mark [&::-moz-progress-bar]:bg-accent',
)

export interface ProgressCardProps {
  readonly title: string
  /** How far it is. */
  readonly text: string
  readonly done: number
  /** Null while it is not known. */
  readonly total: number | null
  /** Buttons. */
  readonly children: ReactNode
}

/** The box while something is uploaded, read or imported. */
export function ProgressCard({ title, text, done, total, children }: ProgressCardProps) {
  // Nothing of nothing is not everything.
  const share = total === null || total === 0 ? 0 : Math.min(1, done / total)
  return (
    <Card>
      <div>
        <p dir="auto" className="text-sm font-medium wrap-anywhere">
          {title}
        </p>
        <p className="text-sm text-muted tabular-nums">{text}</p>
      </div>
      <progress aria-label={title} value={share} className={barLook} />
      <div className="flex flex-1 flex-wrap items-end gap-2">{children}</div>
    </Card>
  )
}
