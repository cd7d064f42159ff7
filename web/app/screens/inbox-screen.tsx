import { InboxView } from '../../features/inbox/inbox-view.tsx'
import { PageTitle } from '../page-title.tsx'

/** The calls that wait for the user, and what was decided. */
export function InboxScreen() {
  return (
    <>
      <PageTitle>Inbox</PageTitle>
      <InboxView />
    </>
  )
}
