import { Component, type ReactNode } from 'react'
import { logError } from '../lib/log-error.ts'
import { ErrorState } from '../ui/states/error-state.tsx'

interface ErrorBoundaryProps {
  /** Identifies the screen. When it changes, the new screen is rendered even if the previous one failed. */
  readonly screen?: string
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  readonly failed: boolean
  readonly screen: string | undefined
}

/**
 * Replaces a screen that failed to render or to load, for instance because a newer version replaced its files.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failed: false, screen: this.props.screen }

  static getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { failed: true }
  }

  static getDerivedStateFromProps(
    { screen }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return screen === state.screen ? null : { failed: false, screen }
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
          retryLabel="Reload"
          onRetry={() => window.location.reload()}
        >
          Something went wrong, or a newer version was installed. Your chats are safe. Reload the page.
        </ErrorState>
      </main>
    )
  }
}
