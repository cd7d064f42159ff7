import { classNames } from '../class-names.ts'

export interface StateBadgeProps {
  readonly tone: 'success' | 'danger'
  /** A hollow dot tells being left from having failed, beside the word. */
  readonly hollow?: boolean
  readonly children: string
}

/** How something stands: a word with a dot in the colour of its state. */
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
