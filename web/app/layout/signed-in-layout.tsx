import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { NavigationType, Outlet, useLocation, useNavigationType } from 'react-router'
import { HistoryDialog } from '../../features/history/history-dialog.tsx'
import { TokenFailureNotice } from '../../features/identity/token-failure-notice.tsx'
import { ErrorBoundary } from '../error-boundary.tsx'
import { useLiveUpdates } from '../live-updates.ts'
import { CentredSpinner } from './centred-spinner.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Header, type HeaderProps } from './header.tsx'

/** The frame of a signed-in user's screens: the header, the screen, and the search that opens over both. */
export function SignedInLayout(props: Omit<HeaderProps, 'onSearch' | 'children'>) {
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
