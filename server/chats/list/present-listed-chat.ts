import type { ChatPlace } from '@yonder/contract/chat'
import type { ListedChat } from '@yonder/contract/chat-list'
import type { ChatRow } from '../../db/tables/tables.ts'
import type { ListedRow } from './chat-list-store.ts'

/** The title of a chat without messages, as everywhere in the product. */
const newChatTitle = 'New Chat'

/** Presents a chat to its owner, as lists show it. */
export function presentListedChat(row: ListedRow): ListedChat {
  return {
    id: row.id,
    title: row.title ?? newChatTitle,
    update_time: new Date(row.updated_at).toISOString(),
    ...presentPlace(row),
    ...(row.call_state === 'waiting' && { waiting: true }),
    ...(row.status === 'failed' && { failed: true }),
    ...(Boolean(row.running) && { running: true }),
  }
}

/** Presents to its owner what the user did with a chat, and whether it has a reply that no page has shown. */
export function presentPlace(
  row: Pick<ChatRow, 'title_source' | 'pinned' | 'archived' | 'unread' | 'project_id' | 'deleted_at'>,
): ChatPlace {
  return {
    ...(row.title_source !== null && { title_source: row.title_source }),
    ...(row.pinned === 1 && { pinned: true }),
    ...(row.archived === 1 && { archived: true }),
    ...(row.unread === 1 && { unread: true }),
    ...(row.project_id !== null && { project_id: row.project_id }),
    ...(row.deleted_at !== null && { deleted_time: new Date(row.deleted_at).toISOString() }),
  }
}
