import { Component, type ReactNode } from 'react'
import { logError } from '../lib/log-error.ts'
import { ErrorState } from '../ui/error-state.tsx'

interface ErrorBoundaryProps {
  readonly children: ReactNode
}

/** Stands in for a screen that failed to draw or to load, for instance because a newer version replaced its files. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override componentDidCatch(error: Error): void {
    logError('A screen failed', error)
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <main className="flex flex-1 items-center justify-center">
        <ErrorState
          title="This page could not be shown"
          retry={{ label: 'Reload', onRetry: () => window.location.reload() }}
        >
          Something went wrong here, or a newer version has taken its place. Your chats are safe.
        </ErrorState>
      </main>
    )
  }
}
