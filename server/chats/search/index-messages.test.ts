import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/database/test-database.ts'
import { addChat, addPath } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { indexMessages } from './index-messages.ts'

it('merges the parts of the index that many slices write, before SQLite merges sixteen at once', async () => {
  const { db, close } = await openTestDatabase('sqlite')
  const { id: user_id } = await addUser(db)
  const chat = await addChat(db, { id: 'chat', user_id })
  // Each slice indexes one message. Without merging, 15 parts are left.
  await addPath(
    db,
    chat,
    Array.from({ length: 255 }, (_, index) => ({ content: `The boat ${index}` })),
  )
  while (await indexMessages(db, 0));
  const { rows } = await sql<{ parts: number }>`
    select count(distinct segid) as parts from message_search_idx`.execute(db)
  expect(rows[0]?.parts).toBeLessThan(12)
  await close()
})
