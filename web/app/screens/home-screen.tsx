import { HomeView } from '../../features/chat/home-view.tsx'
import type { UserScreenProps } from '../signed-in-user.ts'

/** The home page: a greeting and a new chat. */
export function HomeScreen({ user }: UserScreenProps) {
  return <HomeView userName={user.name} />
}
