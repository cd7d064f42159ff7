import { HomeView } from '../../features/chat/home-view.tsx'
import type { IdentityUser } from '../../features/identity/session-store.ts'

/** The home page: a greeting and a new chat. */
export function HomeScreen({ user }: { readonly user: IdentityUser }) {
  return <HomeView userName={user.name} />
}
