import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sqliteFileName } from '../server/db/open-database.ts'

const question = (round: number) => `Question ${round}: how does the sea move on the other side of the moon?`
const answer = (round: number) =>
  `Answer ${round}. **Tides** follow the moon, and the sun a little.\n\n- The first reason is near.\n- The second is far.\n\nSo it goes on for a sentence or two, as replies do, until it ends.`

/** Writes a chat of so many messages straight into the database of a product, and answers its id. */
export function writeLongChat(dataDir: string, email: string, count: number): string {
  const database = new Database(join(dataDir, sqliteFileName))
  database.pragma('busy_timeout = 5000')
  try {
    const user = database.prepare('select id from users where email = ?').pluck().get(email)
    const id = `long_${count}`
    const start = Date.now() - count * 1000
    const nameOf = (index: number) => `${id}_m${index}`
    const insert = database.prepare(
      `insert into messages (chat_id, id, parent_id, role, content, status, model, provider, bot, first_id, second_id, unix_timestamp)
       values (@chat, @id, @parent, @role, @content, 'complete', @model, @provider, @model, @first, @second, @time)`,
    )
    database.transaction(() => {
      database
        .prepare(
          'insert into chats (id, user_id, selected_message_id, created_at, updated_at) values (?, ?, ?, ?, ?)',
        )
        .run(id, user, nameOf(count), start, Date.now())
      for (let index = 1; index <= count; index++) {
        const asks = index % 2 === 1
        const round = Math.ceil(index / 2)
        insert.run({
          chat: id,
          id: nameOf(index),
          parent: index === 1 ? null : nameOf(index - 1),
          role: asks ? 'user' : 'assistant',
          content: asks ? question(round) : answer(round),
          model: asks ? null : 'claude-owl',
          provider: asks ? null : 'Wood',
          first: nameOf(1),
          second: index === 1 ? null : nameOf(2),
          time: start + index * 1000,
        })
      }
    })()
    return id
  } finally {
    database.close()
  }
}
