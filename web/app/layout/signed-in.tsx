import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { NavigationType, Outlet, useLocation, useNavigate, useNavigationType } from 'react-router'
import { ChatListContext, ChatListStore, useMarkCounts } from '../../data/chat-list.ts'
import { MarkCountContext } from '../../data/mark-count.ts'
import { ChatListDock } from '../../features/chat-list/chat-list-dock.tsx'
import { useListLayout } from '../../features/chat-list/list-layout.ts'
import { personalStorage } from '../../features/chat/chat-storage.ts'
import { keepUnsent, takeBackUnsent } from '../../features/chat/kept-drafts.ts'
import { HistoryDialog } from '../../features/history/history-dialog.tsx'
import { deletedNoticeKey } from '../../features/identity/deleted-notice.ts'
import type { IdentityUser } from '../../features/identity/session-store.ts'
import { TokenFailureNotice } from '../../features/identity/token-failure-notice.tsx'
import { createApiClient, type ApiClient } from '../../lib/api/api-client.ts'
import { ApiProvider, useApi } from '../../lib/api/api-provider.tsx'
import { logError } from '../../lib/log-error.ts'
import { BesideAreaContext } from '../../ui/area.ts'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import { ErrorBoundary } from '../error-boundary.tsx'
import { useLiveUpdates } from '../live-updates.ts'
import { PageTitle } from '../page-title.tsx'
import { CentredSpinner } from './centred-spinner.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Header, type HeaderProps } from './header.tsx'

/** Milliseconds after which the notifications are started. */
const notificationsDelayMs = 2_000

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
  useEffect(() => sessionStorage.removeItem(deletedNoticeKey), [])
  // One client until this user signs out, because the chats and the live updates belong to it.
  const [api] = useState(() =>
    createApiClient({
      getAccessToken: () => getAccessToken(user.sub),
      onUnauthorized: (reason) => onUnauthorized(user.sub, reason),
    }),
  )
  const [chatList] = useState(() => new ChatListStore(api))
  useEffect(() => chatList.follow(), [chatList])
  useEffect(() => void takeBackUnsent(api), [api])
  const signOut = () =>
    void Promise.all([keepUnsent(api), leaveNotifications(api, user.sub)]).finally(() => {
      personalStorage.clearTexts()
      onSignOut()
    })
  return (
    <ApiProvider api={api}>
      <ChatListContext value={chatList}>
        <SignedInLayout user={user} sourceUrl={sourceUrl} onSignOut={signOut} />
        <ToastRegion />
      </ChatListContext>
    </ApiProvider>
  )
}

/** The frame of a signed-in user's screens: the header, the list of chats, the screen, and the search that opens over all. */
function SignedInLayout(props: Omit<HeaderProps, 'list' | 'onSearch' | 'children'>) {
  const [isSearching, setSearching] = useState(false)
  const { pathname } = useLocation()
  const list = useListLayout()
  const { total } = useMarkCounts()
  useLiveUpdates(props.user.sub)
  useNotifications(props.user.sub)
  return (
    <MarkCountContext value={total}>
      {/* Of the screens without a title of their own. */}
      <PageTitle />
      <Header {...props} list={list} onSearch={() => setSearching(true)}>
        <ConnectionBanner />
      </Header>
      <TokenFailureNotice />
      <ScrollToTop key={pathname} />
      <div className="flex flex-1">
        <ChatListDock layout={list} />
        <div className="flex min-w-0 flex-1 flex-col">
          <BesideAreaContext value={list.hasRoom ? list.width : 0}>
            <ErrorBoundary screen={pathname}>
              {/* Without the key, the previous screen would stay usable until the code of the next one is loaded. */}
              <Suspense key={pathname.split('/')[1]} fallback={<CentredSpinner />}>
                <main className="flex min-h-0 flex-1 flex-col">
                  <Outlet />
                </main>
              </Suspense>
            </ErrorBoundary>
          </BesideAreaContext>
        </div>
      </div>
      {/* Not lazy: text typed right after the shortcut must reach the search input. */}
      {isSearching && <HistoryDialog onClose={() => setSearching(false)} />}
    </MarkCountContext>
  )
}

/** Starts the notifications when the page has nothing else to load. */
function useNotifications(userId: string): void {
  const api = useApi()
  const navigate = useNavigate()
  const open = useEffectEvent((path: string) => void navigate(path))
  useEffect(() => {
    const stopping = new AbortController()
    const start = async () => {
      try {
        const { startNotifications } = await import('../../features/notifications/start-notifications.ts')
        startNotifications({ api, userId, navigate: open, signal: stopping.signal })
      } catch (error) {
        logError('Notifications could not be started', error)
      }
    }
    const timer = setTimeout(() => void start(), notificationsDelayMs)
    return () => {
      clearTimeout(timer)
      stopping.abort()
    }
  }, [api, userId])
}

/** Lets this browser receive nothing of a user who signs out. Never rejects. */
async function leaveNotifications(api: ApiClient, userId: string): Promise<void> {
  try {
    await (await import('../../features/notifications/push-subscription.ts')).leaveBrowser(api, userId)
  } catch (error) {
    logError('The notifications of this browser may remain', error)
  }
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
