import type { ChatsChange, ChatsPurge } from '@yonder/contract/chat-list'
import { deletedChatDays } from '@yonder/contract/lib/chat-limits'
import { cutText } from '@yonder/contract/message-text'
import { Trash2 } from 'lucide-react'
import { use, useState } from 'react'
import { usePurgeChats, useRestoreChats } from '../../data/change-chats.ts'
import { useChatList, type ChatListStore, type ListRow } from '../../data/chat-list.ts'
import { SelfServiceContext } from '../../data/self-service.ts'
import { formatDay, formatRecent } from '../../lib/format-time.ts'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { EmptyState } from '../../ui/states/states.tsx'
import { SetAsideList, type SetAsideAction } from './set-aside-list.tsx'
import { useToday } from './time-groups.ts'

/** What is about to be deleted for good. */
interface Purge {
  readonly chats: ChatsPurge['chats']
  /** Undefined when it is not known. */
  readonly count: number | undefined
}

/** The page of the deleted chats that can be restored. */
export function DeletedChats() {
  const store = useChatList()
  const restore = useRestoreChats()
  const purge = usePurgeChats()
  const canPurge = use(SelfServiceContext)
  const [asked, setAsked] = useState<Purge>()
  const purgeNow: SetAsideAction = {
    label: 'Delete now…',
    icon: <Trash2 size={16} aria-hidden />,
    run: (chats, count) => setAsked({ chats: toPurge(chats), count }),
  }
  return (
    <>
      <SetAsideList
        section="deleted"
        title="Recently deleted"
        description={`Chats stay here for ${deletedChatDays} days. Their links are off, and their replies were stopped.`}
        Detail={DeletionTimes}
        opens={false}
        actions={[{ label: 'Restore', run: (chats) => void restore(chats) }, ...(canPurge ? [purgeNow] : [])]}
        whole={canPurge ? { ...purgeNow, label: 'Delete all now…' } : undefined}
        empty={
          <EmptyState
            icon={<Trash2 size={22} aria-hidden />}
            title={`Nothing was deleted in the last ${deletedChatDays} days.`}
          >
            A chat that you delete can be restored here.
          </EmptyState>
        }
      />
      {asked !== undefined && (
        <ConfirmDialog
          title={`Delete ${nameOf(asked, store)} for good?`}
          message="This action cannot be undone."
          action="Delete"
          onConfirm={() => purge(asked.chats)}
          onDone={() => setAsked(undefined)}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

/** All of the list is what is deleted at that time. */
const toPurge = (chats: ChatsChange['chats']): Purge['chats'] => (Array.isArray(chats) ? chats : 'all')

/** Characters of a title in a question. */
const maxNameChars = 60

function nameOf({ chats, count }: Purge, store: ChatListStore): string {
  if (count === undefined) return 'all deleted chats'
  if (count > 1) return `${count.toLocaleString('en')} chats`
  const title = store.row(chats[0] ?? '')?.title
  if (title === undefined) return 'this chat'
  const { text, isCut } = cutText(title, maxNameChars)
  return `“${text}${isCut ? '…' : ''}”`
}

/** From so many days on, the days are counted. */
const countedDays = 7
const dayMs = 86_400_000

/** When a chat was deleted, and when it will be gone. */
function DeletionTimes({ chat }: { readonly chat: ListRow }) {
  const today = useToday()
  const deleted = new Date(chat.deleted_time ?? '')
  const gone = new Date(deleted.getTime() + deletedChatDays * dayMs)
  const days = Math.round((startOf(gone).getTime() - today.getTime()) / dayMs)
  const when =
    days > countedDays
      ? `on ${formatDay(gone)}`
      : days > 1
        ? `in ${days} days`
        : days === 1
          ? 'tomorrow'
          : 'today'
  return (
    <>
      <span className="hidden @lg:inline">
        Deleted <time dateTime={chat.deleted_time}>{formatRecent(deleted)}</time> · gone {when}
      </span>
      <span className="@lg:hidden">{days > 1 ? `${days} days left` : `Gone ${when}`}</span>
    </>
  )
}

const startOf = (time: Date): Date => new Date(time.getFullYear(), time.getMonth(), time.getDate())
