import { ArchivedChats } from '../../features/chat-list/archived-chats.tsx'
import { DeletedChats } from '../../features/chat-list/deleted-chats.tsx'
import { PageTitle } from '../page-title.tsx'

/** The archived chats. */
export function ArchivedScreen() {
  return (
    <>
      <PageTitle>Archived</PageTitle>
      <ArchivedChats />
    </>
  )
}

/** The deleted chats that can be restored. */
export function DeletedScreen() {
  return (
    <>
      <PageTitle>Recently deleted</PageTitle>
      <DeletedChats />
    </>
  )
}
