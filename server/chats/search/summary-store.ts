import type { Db } from '../../db/database.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import type { ListedRow } from '../list/chat-list-store.ts'

/** Characters that are read of a message: a little more than the summary of a chat shows (`summarize-chats.ts`). */
const maxReadChars = 600

export type SummaryRow = Pick<
  MessageRow,
  'chat_id' | 'id' | 'role' | 'content' | 'files' | 'status' | 'error_message' | 'model' | 'server'
> & {
  /** The state of the call in the message before this one. */
  readonly decided: string | null
}

/** Returns the first two messages and the last one of each chat's selected path, oldest first. */
export async function listSummaryMessages(db: Db, chats: readonly ListedRow[]): Promise<SummaryRow[]> {
  const usedChatIds = chats.filter((chat) => chat.selected_message_id !== null).map((chat) => chat.id)
  if (usedChatIds.length === 0) return []
  return db
    .selectFrom('chats as c')
    .innerJoin('messages as leaf', (join) =>
      join.onRef('leaf.chat_id', '=', 'c.id').onRef('leaf.id', '=', 'c.selected_message_id'),
    )
    .innerJoin('messages as m', (join) =>
      join
        .onRef('m.chat_id', '=', 'c.id')
        .on((eb) => eb('m.id', 'in', [eb.ref('leaf.id'), eb.ref('leaf.first_id'), eb.ref('leaf.second_id')])),
    )
    .leftJoin('messages as parent', (join) =>
      join.onRef('parent.chat_id', '=', 'c.id').onRef('parent.id', '=', 'm.parent_id'),
    )
    .select((eb) => [
      'm.chat_id',
      'm.id',
      'm.role',
      'm.files',
      'm.status',
      'm.error_message',
      'm.model',
      'm.server',
      'parent.call_state as decided',
      eb.fn<string>('substr', ['m.content', eb.val(1), eb.lit(maxReadChars)]).as('content'),
    ])
    .where('c.id', 'in', usedChatIds)
    .orderBy('m.unix_timestamp')
    .execute()
}

export type PassageRow = Pick<
  MessageRow,
  'chat_id' | 'id' | 'position' | 'role' | 'model' | 'bot' | 'unix_timestamp'
>

/** Returns messages of these chats by their positions, with today's names of their bots. */
export async function listPassageMessages(
  db: Db,
  chatIds: readonly string[],
  positions: readonly number[],
): Promise<PassageRow[]> {
  if (positions.length === 0) return []
  return db
    .selectFrom('messages as m')
    .leftJoin('bots as b', 'b.id', 'm.bot_id')
    .select(['m.chat_id', 'm.id', 'm.position', 'm.role', 'm.model', 'm.unix_timestamp'])
    .select(({ fn }) => fn.coalesce('b.name', 'm.bot').as('bot'))
    .where('m.position', 'in', positions)
    .where('m.chat_id', 'in', chatIds)
    .execute()
}
