import { lazy, Suspense, type ReactNode } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { CentredSpinner } from './layout/centred-spinner.tsx'
import type { SignedInProps } from './layout/signed-in.tsx'

const SignedIn = lazy(async () => ({ default: (await import('./layout/signed-in.tsx')).SignedIn }))
const TermsScreen = lazy(async () => ({ default: (await import('./screens/terms-screen.tsx')).TermsScreen }))
const ShareScreen = lazy(async () => ({ default: (await import('./screens/share-screen.tsx')).ShareScreen }))
const PrivacyScreen = lazy(async () => ({
  default: (await import('./screens/privacy-screen.tsx')).PrivacyScreen,
}))

/** Where a signed-out visitor stays, to find the same place once signed in. */
const landingPaths = [
  '/',
  '/chat/:id',
  '/chats/:id',
  '/settings',
  '/settings/:section',
  '/callback/:service?',
]

export interface AppRoutesProps {
  /** The signed-in person and what their screens need; `loading` until it is known whether there is one. */
  readonly session: SignedInProps | 'loading' | 'signed-out'
  /** What stands at every address but the public pages while the session is `loading`: a spinner, unless it says more. */
  readonly waiting?: ReactNode
  /** What a signed-out visitor sees at every address but the public pages. */
  readonly landing: ReactNode
}

/** The route table (§2.1-§2.9). */
export function AppRoutes({ session, waiting = <CentredSpinner />, landing }: AppRoutesProps) {
  return (
    <Suspense fallback={<CentredSpinner />}>
      <Routes>
        <Route path="/share/:id" element={<ShareScreen />} />
        <Route path="/terms" element={<TermsScreen />} />
        <Route path="/privacy" element={<PrivacyScreen />} />
        {session === 'loading' ? (
          <Route path="*" element={waiting} />
        ) : session === 'signed-out' ? (
          <>
            {landingPaths.map((path) => (
              <Route key={path} path={path} element={landing} />
            ))}
            <Route path="*" element={<Navigate to="/" replace />} />
          </>
        ) : (
          // What one person's screens hold is not for the next one.
          <Route path="/*" element={<SignedIn key={session.user.sub} {...session} />} />
        )}
      </Routes>
    </Suspense>
  )
}
