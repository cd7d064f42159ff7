import type { ChatSummary, SummaryMessage } from '@yonder/contract/chat'
import type { Db } from '../../db/database.ts'
import type { User } from '../../identity/user.ts'
import { listSummaryChats, listSummaryMessages } from './summary-store.ts'
import type { SummaryRow } from './summary-store.ts'

/** Characters of a text in a summary. */
const longestSummary = 500

/** What a list shows of chats, in the order of their ids (§3.4); an id that is not this person's is left out. */
export async function summarizeChats(
  db: Db,
  user: Pick<User, 'id'>,
  ids: readonly string[],
): Promise<ChatSummary[]> {
  if (ids.length === 0) return []
  const chats = new Map((await listSummaryChats(db, user, ids)).map((chat) => [chat.id, chat]))
  const messages = await listSummaryMessages(db, [...chats.values()])
  return ids.flatMap((id) => {
    const chat = chats.get(id)
    if (chat === undefined) return []
    // What a tool returned is none of the messages that people see (§3.11).
    const rows = messages.filter(
      ({ chat_id, role, server }) => chat_id === id && (role === 'assistant' || server === null),
    )
    return [
      {
        id,
        update_time: new Date(chat.updated_at).toISOString(),
        messages: rows.map(presentSummary),
      },
    ]
  })
}

function presentSummary(row: SummaryRow): SummaryMessage {
  const text = row.status === 'failed' ? `**Error:** ${row.error_message ?? ''}` : row.content
  return {
    role: row.role === 'assistant' ? 'assistant' : 'user',
    content: shorten(text),
    ...(row.role === 'assistant' && row.model !== null ? { model: row.model } : {}),
  }
}

/** Cuts between characters, never inside of one. */
function shorten(text: string): string {
  if (text.length <= longestSummary) return text
  const cut = text.slice(0, longestSummary)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
