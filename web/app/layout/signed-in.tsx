import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { NavigationType, Outlet, useLocation, useNavigationType } from 'react-router'
import { personalStorage } from '../../features/chat/chat-storage.ts'
import { HistoryDialog } from '../../features/history/history-dialog.tsx'
import type { IdentityUser } from '../../features/identity/session-store.ts'
import { TokenFailureNotice } from '../../features/identity/token-failure-notice.tsx'
import { createApiClient } from '../../lib/api/api-client.ts'
import { ApiProvider } from '../../lib/api/api-provider.tsx'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import { ErrorBoundary } from '../error-boundary.tsx'
import { useLiveUpdates } from '../live-updates.ts'
import { CentredSpinner } from './centred-spinner.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Header, type HeaderProps } from './header.tsx'

export interface SignedInProps {
  /** Always the same user while the element is mounted. Another user needs another `key`. */
  readonly user: IdentityUser
  /**
   * Returns an access token of the user with this id. Only the functions `getAccessToken` and `onUnauthorized` of the
   * first rendering are called.
   */
  readonly getAccessToken: (userId: string) => Promise<string | null | undefined>
  /** Signs out in every tab and at the provider, and returns to the origin of the site. */
  readonly onSignOut: () => void
  /**
   * Called when the server refused the token, for this reason: signs out in this browser and redirects to the root of the site.
   */
  readonly onUnauthorized: (userId: string, reason?: string) => void
  readonly sourceUrl: string
}

/** Wraps the screens of a signed-in user in the user's API client and cache, the layout and the toasts. */
export function SignedIn({ user, getAccessToken, onSignOut, onUnauthorized, sourceUrl }: SignedInProps) {
  // Runs before any screen reads from the storage; running it twice does no harm.
  useState(() => personalStorage.setOwner(user.sub))
  const signOut = () => {
    personalStorage.clearTexts()
    onSignOut()
  }
  // One client until this user signs out, because the chats and the live updates belong to it.
  const [api] = useState(() =>
    createApiClient({
      getAccessToken: () => getAccessToken(user.sub),
      onUnauthorized: (reason) => onUnauthorized(user.sub, reason),
    }),
  )
  return (
    <ApiProvider api={api}>
      <SignedInLayout user={user} sourceUrl={sourceUrl} onSignOut={signOut} />
      <ToastRegion />
    </ApiProvider>
  )
}

/** The frame of a signed-in user's screens: the header, the screen, and the search that opens over both. */
function SignedInLayout(props: Omit<HeaderProps, 'onSearch' | 'children'>) {
  const [isSearching, setSearching] = useState(false)
  const { pathname } = useLocation()
  useLiveUpdates(props.user.sub)
  return (
    <>
      <Header {...props} onSearch={() => setSearching(true)}>
        <ConnectionBanner />
      </Header>
      <TokenFailureNotice />
      <ScrollToTop key={pathname} />
      <ErrorBoundary screen={pathname}>
        {/* Without the key, the previous screen would stay usable until the code of the next one is loaded
. */}
        <Suspense key={pathname.split('/')[1]} fallback={<CentredSpinner />}>
          <main className="flex min-h-0 flex-1 flex-col">
            <Outlet />
          </main>
        </Suspense>
      </ErrorBoundary>
      {/* Not lazy: text typed right after the shortcut must reach the search input. */}
      {isSearching && <HistoryDialog onClose={() => setSearching(false)} />}
    </>
  )
}

/** A new screen starts at its top; going back returns to the position that the browser stored. */
function ScrollToTop() {
  const type = useNavigationType()
  const scroll = useEffectEvent(() => {
    if (type !== NavigationType.Pop) window.scrollTo(0, 0)
  })
  useEffect(() => scroll(), [])
  return null
}
