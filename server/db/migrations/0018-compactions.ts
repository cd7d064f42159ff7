import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** The summaries that requests to models contain in place of older messages. */
export async function createCompactions(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('compactions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('message_count', integer, (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('bot', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('edited', integer, (c) => c.notNull())
    .addColumn('written_at', integer, (c) => c.notNull())
    .addColumn('held_until', integer)
    .addForeignKeyConstraint(
      'compactions_of_messages',
      ['chat_id', 'message_id'],
      'messages',
      ['chat_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  // A message is the last one of at most one summary, even when two requests write a summary at the same moment.
  await trx.schema
    .createIndex('compactions_by_message')
    .unique()
    .on('compactions')
    .columns(['chat_id', 'message_id'])
    .execute()
}
