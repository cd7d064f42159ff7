import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { NavigationType, Outlet, useLocation, useNavigationType } from 'react-router'
import { TokenFailureNotice } from '../features/identity/token-failure-notice.tsx'
import { CentredSpinner } from './centred-spinner.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { Header, type HeaderProps } from './header.tsx'

const loadHistory = () => import('../features/history/history-dialog.tsx')
const HistoryDialog = lazy(async () => ({ default: (await loadHistory()).HistoryDialog }))

/** The frame of every screen of a signed-in person: the header, the screen, and the search that opens over both. */
export function SignedInLayout(props: Omit<HeaderProps, 'onSearch'>) {
  const [isSearching, setSearching] = useState(false)
  const { pathname } = useLocation()
  useEffect(() => {
    // The search must open at once; its code comes while the page is being read.
    const timer = setTimeout(() => void loadHistory().catch(() => undefined), 1500)
    return () => clearTimeout(timer)
  }, [])
  return (
    <>
      <Header {...props} onSearch={() => setSearching(true)} />
      <TokenFailureNotice />
      <ConnectionBanner />
      <ErrorBoundary key={pathname}>
        <TopOfPage />
        <Suspense fallback={<CentredSpinner />}>
          <main className="flex min-h-0 flex-1 flex-col">
            <Outlet />
          </main>
        </Suspense>
      </ErrorBoundary>
      {isSearching && (
        <Suspense fallback={null}>
          <HistoryDialog onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </>
  )
}

/** A new screen starts at its top; going back finds the place that the browser kept. */
function TopOfPage() {
  const type = useNavigationType()
  const scroll = useEffectEvent(() => {
    if (type !== NavigationType.Pop) window.scrollTo(0, 0)
  })
  useEffect(() => scroll(), [])
  return null
}
