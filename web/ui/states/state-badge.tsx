import { classNames } from '../class-names.ts'

export interface StateBadgeProps {
  readonly tone: 'success' | 'danger'
  /** A hollow dot, which distinguishes 'disconnected' from 'failed'. */
  readonly hollow?: boolean
  readonly children: string
}

/** A status: a word with a dot in its colour. */
export function StateBadge({ tone, hollow = false, children }: StateBadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex shrink-0 items-center gap-1.5 rounded-full border border-line px-2 py-0.5 text-xs font-medium',
        tone === 'success' ? 'text-success' : 'text-danger',
      )}
    >
      <span
        aria-hidden
        className={classNames('size-1.5 rounded-full border border-current', !hollow && 'bg-current')}
      />
      {children}
    </span>
  )
}
