import type { SummaryMessage } from '@yonder/contract/chat'
import type { ListedSummary } from '@yonder/contract/chat-list'
import { denialText } from '@yonder/contract/message-text'
import type { Actor, exportable } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import { listListed } from '../list/chat-list-store.ts'
import { presentListedChat } from '../list/present-listed-chat.ts'
import { contentOf } from '../message-store.ts'
import { listSummaryMessages, type SummaryRow } from './summary-store.ts'

/** UTF-16 units of a message in the summary of a chat. */
const maxMessageChars = 500

/**
 * Returns what lists and search results show of chats, in the order of `ids`. Omits the chats of other users, and
 * those that `may` does not name: by default all that the user deleted. No model is called: the summaries that models write are compactions (`compaction-store.ts`).
 */
export async function summarizeChats(
  db: Db,
  user: Actor,
  ids: readonly string[],
  may?: typeof exportable,
): Promise<ListedSummary[]> {
  if (ids.length === 0) return []
  const chats = new Map((await listListed(db, user, ids, may)).map((chat) => [chat.id, chat]))
  const messages = await listSummaryMessages(db, [...chats.values()])
  return ids.flatMap((id) => {
    const chat = chats.get(id)
    if (chat === undefined) return []
    // A tool's result is not shown as a message, nor is a denial.
    const rows = messages.filter(
      ({ chat_id, role, server, content, decided }) =>
        chat_id === id &&
        (role === 'assistant' || (server === null && !(decided === 'denied' && content === denialText))),
    )
    return [{ ...presentListedChat(chat), messages: rows.map(presentSummary) }]
  })
}

function presentSummary(row: SummaryRow): SummaryMessage {
  const text = row.status === 'failed' ? `**Error:** ${row.error_message ?? ''}` : row.content
  return {
    role: row.role === 'assistant' ? 'assistant' : 'user',
    content: contentOf({ content: shorten(text), files: row.files }),
    ...(row.role === 'assistant' && row.model !== null ? { model: row.model } : {}),
  }
}

/** Cuts the text, but not inside a surrogate pair. */
function shorten(text: string): string {
  if (text.length <= maxMessageChars) return text
  const cut = text.slice(0, maxMessageChars)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
