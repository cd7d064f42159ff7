import type { Db } from '../../db/database.ts'

/** Counts the messages and runs of a chat. */
export async function countChatRows(db: Db, chatId: string): Promise<{ messages: number; runs: number }> {
  const count = async (table: 'messages' | 'runs'): Promise<number> => {
    const row = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll().as('count'))
      .where('chat_id', '=', chatId)
      .executeTakeFirstOrThrow()
    return Number(row.count)
  }
  return { messages: await count('messages'), runs: await count('runs') }
}
