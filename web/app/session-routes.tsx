import type { ClientSettings } from '@yonder/contract/identity'
import { useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { SignInScreen } from '../features/identity/sign-in-screen.tsx'
import { useIdentity } from '../features/identity/use-identity.ts'
import { AppRoutes, type AppRoutesProps } from './app-routes.tsx'

/** Leads the sign-in's state to the route table. */
export function SessionRoutes({ settings }: { readonly settings: ClientSettings }) {
  const { state, identity } = useIdentity()
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const actions = useMemo(
    () => ({
      getAccessToken: identity.getAccessToken,
      onSignOut: () => void identity.signOut(),
      onUnauthorized: () => {
        identity.forget()
        void navigate('/', { replace: true })
      },
    }),
    [identity, navigate],
  )
  const session: AppRoutesProps['session'] =
    state.status === 'authenticated'
      ? { ...actions, user: state.user, sourceUrl: settings.sourceUrl }
      : state.status === 'loading'
        ? 'loading'
        : 'signed-out'
  return (
    <AppRoutes
      session={session}
      landing={<SignInScreen settings={settings} returnTo={pathname + search} />}
    />
  )
}
