import { Suspense, type ComponentType, type ReactNode } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { CentredSpinner } from './layout/centred-spinner.tsx'
import type { SignedInProps } from './layout/signed-in.tsx'
import { PageTitle } from './page-title.tsx'
import { publicRoutes, SignedIn, userRoutes, type AppRoute } from './routes.tsx'

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
        {mapRoutes(publicRoutes, (route) => (
          <RouteScreen route={route} props={{}} />
        ))}
        {session === 'loading' ? (
          <Route path="*" element={waiting} />
        ) : session === 'signed-out' ? (
          <>
            {mapRoutes(userRoutes, () => landing)}
            <Route path="*" element={<Navigate to="/" replace />} />
          </>
        ) : (
          // The state of one user's screens must not reach the next user.
          <Route element={<SignedIn key={session.user.sub} {...session} />}>
            {mapRoutes(userRoutes, (route) => (
              <RouteScreen route={route} props={{ user: session.user }} />
            ))}
            <Route path="*" element={<Navigate to="/" replace />} />
          </Route>
        )}
      </Routes>
    </Suspense>
  )
}

function mapRoutes<Props>(
  routes: readonly AppRoute<Props>[],
  render: (route: AppRoute<Props>) => ReactNode,
): readonly ReactNode[] {
  return routes.flatMap((route) =>
    route.paths.map((path) => <Route key={path} path={path} element={render(route)} />),
  )
}

function RouteScreen<Props extends object>({
  route: { title, Screen },
  props,
}: {
  readonly route: AppRoute<Props>
  readonly props: Props
}) {
  // TypeScript does not find the props of a lazy component while `Props` is a type parameter.
  const Component = Screen as ComponentType<Props>
  return (
    <>
      {title !== undefined && <PageTitle>{title}</PageTitle>}
      <Component {...props} />
    </>
  )
}
