import type { ClientSettings } from '@yonder/contract/identity'
import { BrowserRouter, useLocation, useNavigate } from 'react-router'
import { MaxGrantHoursContext } from '../data/max-grant-hours.ts'
import { SelfServiceContext } from '../data/self-service.ts'
import { SignInScreen } from '../features/identity/sign-in-screen.tsx'
import { IdentityContext, useIdentity } from '../features/identity/use-identity.ts'
import { sentenceOf } from '../lib/api/failure-sentences.ts'
import { ErrorState } from '../ui/states/error-state.tsx'
import { AppRoutes, type AppRoutesProps } from './app-routes.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { PageTitle } from './page-title.tsx'
import { useStartup, type Startup } from './startup.ts'

/** The whole application. */
export function WebApp() {
  return (
    <ErrorBoundary>
      <PageTitle />
      <BrowserRouter>
        <StartedRoutes />
      </BrowserRouter>
    </ErrorBoundary>
  )
}

function StartedRoutes() {
  const startup = useStartup()
  switch (startup.status) {
    case 'loading':
      return <AppRoutes session="loading" landing={null} />
    case 'failed':
      return <AppRoutes session="loading" waiting={<Unreachable startup={startup} />} landing={null} />
    case 'ready':
      return (
        <IdentityContext value={startup.identity}>
          <SelfServiceContext value={startup.settings.selfService === true}>
            <MaxGrantHoursContext value={startup.settings.maxGrantHours ?? Infinity}>
              <SessionRoutes settings={startup.settings} />
            </MaxGrantHoursContext>
          </SelfServiceContext>
        </IdentityContext>
      )
  }
}

function Unreachable({ startup: { failure, retry } }: { readonly startup: Startup & { status: 'failed' } }) {
  return (
    <main className="flex flex-1 items-center justify-center">
      <ErrorState title="Yonder cannot be reached" onRetry={retry}>
        {sentenceOf(failure)} This page continues as soon as the connection is back.
      </ErrorState>
    </main>
  )
}

/** The routes for the current sign-in state. */
function SessionRoutes({ settings }: { readonly settings: ClientSettings }) {
  const { state, identity } = useIdentity()
  const { pathname, search, hash } = useLocation()
  const navigate = useNavigate()
  const actions = {
    getAccessToken: identity.getAccessToken,
    onSignOut: () => void identity.signOut(),
    onUnauthorized: (userId: string, reason?: string) => {
      if (identity.forget(userId, reason)) void navigate('/', { replace: true })
    },
  }
  const session: AppRoutesProps['session'] =
    state.status === 'authenticated'
      ? { ...actions, user: state.user, sourceUrl: settings.sourceUrl }
      : state.status === 'loading'
        ? 'loading'
        : 'signed-out'
  return (
    <AppRoutes
      session={session}
      landing={<SignInScreen settings={settings} returnTo={pathname + search + hash} />}
    />
  )
}
