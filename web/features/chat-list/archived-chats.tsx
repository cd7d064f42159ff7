import { Archive, Trash2 } from 'lucide-react'
import { use } from 'react'
import { useChangeChats } from '../../data/change-chats.ts'
import type { ListRow } from '../../data/chat-list.ts'
import { SelfServiceContext } from '../../data/self-service.ts'
import { formatRecent } from '../../lib/format-time.ts'
import { EmptyState } from '../../ui/states/states.tsx'
import { SetAsideList, type SetAsideAction } from './set-aside-list.tsx'

function LastMessage({ chat: { update_time: time } }: { readonly chat: ListRow }) {
  return (
    <>
      <span className="hidden @lg:inline">Last message </span>
      <time dateTime={time}>{formatRecent(new Date(time))}</time>
    </>
  )
}

/** The page of the archived chats. */
export function ArchivedChats() {
  const change = useChangeChats()
  const canDelete = use(SelfServiceContext) === true
  const remove: SetAsideAction = {
    label: 'Delete',
    icon: <Trash2 size={16} aria-hidden />,
    run: (chats) => void change({ chats, change: { deleted: true } }),
  }
  return (
    <SetAsideList
      section="archived"
      title="Archived"
      description="Archived chats are not in the list. The search finds them, and a new message brings one back."
      Detail={LastMessage}
      opens
      actions={[
        { label: 'Unarchive', run: (chats) => void change({ chats, change: { archived: false } }) },
        ...(canDelete ? [remove] : []),
      ]}
      empty={
        <EmptyState icon={<Archive size={22} aria-hidden />} title="No archived chats">
          To keep a chat out of the list, choose Archive in its menu.
        </EmptyState>
      }
    />
  )
}
