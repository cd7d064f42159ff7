import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Links to messages. A message has at most one, so that sharing it twice at the same time creates one link. */
export async function createShares(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('shares')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addUniqueConstraint('shares_message', ['chat_id', 'message_id'])
    .addForeignKeyConstraint(
      'shares_of_messages',
      ['chat_id', 'message_id'],
      'messages',
      ['chat_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await trx.schema.createIndex('shares_by_time').on('shares').columns(['user_id', 'created_at']).execute()
}
