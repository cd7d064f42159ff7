import { lazy, Suspense, use } from 'react'
import { HomeView } from '../../features/chat/home-view.tsx'
import type { IdentityUser } from '../../features/identity/session-store.ts'
import { BesideAreaContext } from '../../ui/area.ts'

// Without its code, which may fail to load, the page can be used as well.
const LastChats = lazy(() =>
  import('../../features/chat-list/last-chats.tsx').then(
    (part) => ({ default: part.LastChats }),
    () => ({ default: () => null }),
  ),
)

/** The home page: a greeting, a new chat, and the last chats where no list beside it has them. */
export function HomeScreen({ user }: { readonly user: IdentityUser }) {
  const isListShown = use(BesideAreaContext) > 0
  return (
    <HomeView userName={user.name}>
      {!isListShown && (
        <Suspense>
          <LastChats />
        </Suspense>
      )}
    </HomeView>
  )
}
