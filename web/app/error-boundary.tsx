import { Component, type ReactNode } from 'react'
import { logError } from '../lib/log-error.ts'
import { ErrorState } from '../ui/states/states.tsx'

interface ErrorBoundaryProps {
  /** With another value a new screen stands here, which is given a try of its own. */
  readonly screen?: string
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  readonly failed: boolean
  readonly screen: string | undefined
}

/** Stands in for a screen that failed to draw or to load, for instance because a newer version replaced its files. */
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
          retry={{ label: 'Reload', onRetry: () => window.location.reload() }}
        >
          Something went wrong here, or a newer version has taken its place. Your chats are safe.
        </ErrorState>
      </main>
    )
  }
}
