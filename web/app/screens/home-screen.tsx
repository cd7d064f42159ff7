import { HomeView } from '../../features/chat/home-view.tsx'
import { PageTitle } from '../page-title.tsx'

/** The start: a greeting and a new chat (§2.1). */
export function HomeScreen({ userName }: { readonly userName: string | null | undefined }) {
  return (
    <>
      <PageTitle />
      <HomeView userName={userName} />
    </>
  )
}
