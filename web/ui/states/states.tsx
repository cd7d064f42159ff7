import type { ReactNode } from 'react'
import { Spinner } from './progress.tsx'

/** Shown in the middle of an area while its content loads. */
export function LoadingState({ children }: { readonly children: string }) {
  return (
    <output className="flex items-center justify-center gap-2.5 px-6 py-12 text-sm text-muted">
      <Spinner />
      {children}
    </output>
  )
}

export interface EmptyStateProps {
  readonly icon: ReactNode
  readonly title: string
  /** What to do next. */
  readonly children: ReactNode
}

/** Shown where a list has no entries. */
export function EmptyState({ icon, title, children }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <span className="mb-1 text-muted">{icon}</span>
      <p className="text-sm font-medium">{title}</p>
      <p className="max-w-sm text-sm text-balance text-muted">{children}</p>
    </div>
  )
}
