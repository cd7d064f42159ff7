import type { ReactNode } from 'react'
import { Button } from '../button/button.tsx'
import { ErrorIcon } from '../icons/first-page-icons.tsx'

export interface ErrorStateProps {
  readonly title: string
  /** What happened, and what the user can do about it. */
  readonly children?: ReactNode
  readonly onRetry?: () => void
  readonly retryLabel?: string
}

/** Shown in place of content that could not be loaded. */
export function ErrorState({ title, children, onRetry, retryLabel = 'Try again' }: ErrorStateProps) {
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <span className="mb-1 text-danger">
        <ErrorIcon size={22} />
      </span>
      <p className="text-sm font-medium">{title}</p>
      {children !== undefined && <p className="max-w-sm text-sm text-muted">{children}</p>}
      {onRetry !== undefined && (
        <div className="mt-3">
          <Button onClick={onRetry}>{retryLabel}</Button>
        </div>
      )}
    </div>
  )
}
