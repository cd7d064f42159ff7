import { Suspense, type ReactNode } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { CentredSpinner } from './layout/centred-spinner.tsx'
import type { SignedInProps } from './layout/signed-in.tsx'
import { publicScreens, SignedIn, userScreens } from './routes.tsx'

export interface AppRoutesProps {
  /** The signed-in user and what their screens need; `loading` until the sign-in is known. */
  readonly session: SignedInProps | 'loading' | 'signed-out'
  /** Shown at every address but the public pages while the session is `loading`. */
  readonly waiting?: ReactNode
  /**
   * Shown to a signed-out visitor in place of a user's screen. The address does not change, so that signing in opens
   * that screen.
   */
  readonly landing: ReactNode
}

/** Shows the screen of the address. */
export function AppRoutes({ session, waiting = <CentredSpinner />, landing }: AppRoutesProps) {
  return (
    <Suspense fallback={<CentredSpinner />}>
      <Routes>
        {Object.entries(publicScreens).map(([path, Screen]) => (
          <Route key={path} path={path} element={<Screen />} />
        ))}
        {session === 'loading' ? (
          <Route path="*" element={waiting} />
        ) : session === 'signed-out' ? (
          <>
            {Object.keys(userScreens).map((path) => (
              <Route key={path} path={path} element={landing} />
            ))}
            <Route path="*" element={<Navigate to="/" replace />} />
          </>
        ) : (
          // The state of one user's screens must not reach the next user.
          <Route element={<SignedIn key={session.user.sub} {...session} />}>
            {Object.entries(userScreens).map(([path, { Screen }]) => (
              <Route key={path} path={path} element={<Screen user={session.user} />} />
            ))}
            <Route path="*" element={<Navigate to="/" replace />} />
          </Route>
        )}
      </Routes>
    </Suspense>
  )
}
