import { join } from 'node:path'
import { sqliteFileName } from '../../server/db/open-database.ts'
import { openSqlite } from '../../server/db/dialects/sqlite.ts'

/** Messages that are written in one statement. */
const batch = 500

const question = (round: number) => `Question ${round}: how does the sea move on the other side of the moon?`
const answer = (round: number) =>
  `Answer ${round}. **Tides** follow the moon, and the sun a little.\n\n- The first reason is near.\n- The second is far.\n\nSo it goes on for a sentence or two, as replies do, until it ends.`

/** Writes a chat of so many messages straight into the database of a product, and answers its id. */
export async function writeLongChat(dataDir: string, email: string, count: number): Promise<string> {
  const { db, close } = openSqlite(join(dataDir, sqliteFileName))
  const id = `long_${count}`
  const start = Date.now() - count * 1000
  const nameOf = (index: number) => `${id}_m${index}`
  const rowOf = (index: number) => {
    const asks = index % 2 === 1
    const round = Math.ceil(index / 2)
    return {
      chat_id: id,
      id: nameOf(index),
      parent_id: index === 1 ? null : nameOf(index - 1),
      content: asks ? question(round) : answer(round),
      status: 'complete',
      ...(asks ? { role: 'user' } : { role: 'assistant', model: 'claude-owl', provider: 'Wood' }),
      first_id: nameOf(1),
      second_id: index === 1 ? null : nameOf(2),
      unix_timestamp: start + index * 1000,
    }
  }
  try {
    const user = await db
      .selectFrom('users')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
    const chat = { id, user_id: user.id, selected_message_id: nameOf(count) }
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('chats')
        .values({ ...chat, created_at: start, updated_at: Date.now() })
        .execute()
      for (let first = 1; first <= count; first += batch) {
        const length = Math.min(batch, count - first + 1)
        const rows = Array.from({ length }, (_, offset) => rowOf(first + offset))
        await trx.insertInto('messages').values(rows).execute()
      }
    })
    return id
  } finally {
    await close()
  }
}
