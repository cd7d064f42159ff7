import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * What each call of a model used and cost. The only foreign key is the user, so that a record survives the deletion of
 * its chat and its bot.
 */
export async function createUsageRecords(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('usage_records')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('bot', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('provider', 'text')
    .addColumn('time', integer, (c) => c.notNull())
    .addColumn('input_tokens', integer)
    .addColumn('output_tokens', integer)
    .addColumn('cached_tokens', integer)
    .addColumn('cache_write_tokens', integer)
    .addColumn('reasoning_tokens', integer)
    .addColumn('cost', integer)
    .addColumn('currency', 'text')
    .addColumn('duration_ms', integer)
    .addColumn('first_text_ms', integer)
    .execute()
  await trx.schema.createIndex('usage_by_time').on('usage_records').columns(['user_id', 'time']).execute()
  await trx.schema
    .createIndex('usage_by_message')
    .on('usage_records')
    .columns(['user_id', 'chat_id', 'message_id'])
    .execute()
}
