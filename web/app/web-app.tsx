import { BrowserRouter } from 'react-router'
import { IdentityContext } from '../features/identity/identity-context.ts'
import { ErrorState } from '../ui/states/states.tsx'
import { ToastRegion } from '../ui/toast/toast-region.tsx'
import { AppRoutes } from './app-routes.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { PageTitle } from './page-title.tsx'
import { SessionRoutes } from './session-routes.tsx'
import { useStartup } from './use-startup.ts'

/** The whole application. */
export function WebApp() {
  return (
    <ErrorBoundary>
      <PageTitle />
      <BrowserRouter>
        <StartedRoutes />
      </BrowserRouter>
      <ToastRegion />
    </ErrorBoundary>
  )
}

function StartedRoutes() {
  const startup = useStartup()
  switch (startup.status) {
    case 'loading':
      return <AppRoutes session="loading" landing={null} />
    case 'failed':
      return <AppRoutes session="loading" waiting={<Unreachable retry={startup.retry} />} landing={null} />
    case 'ready':
      return (
        <IdentityContext value={startup.identity}>
          <SessionRoutes settings={startup.settings} />
        </IdentityContext>
      )
  }
}

function Unreachable({ retry }: { readonly retry: () => void }) {
  return (
    <main className="flex flex-1 items-center justify-center">
      <ErrorState title="Yonder cannot be reached" retry={{ label: 'Try again', onRetry: retry }}>
        The server does not answer. Check your connection, or try again in a moment.
      </ErrorState>
    </main>
  )
}
