import type { ReactNode } from 'react'
import { Button } from '../button/button.tsx'
import { iconLook } from './progress.tsx'

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
        <svg {...iconLook} width={22} height={22}>
          <circle cx="12" cy="12" r="10" />
          <path d="M12 8v4M12 16h.01" />
        </svg>
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
