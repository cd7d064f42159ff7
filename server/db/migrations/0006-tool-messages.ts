import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Tool calls and results in the tree of messages, the images of results, and responses to elicitations. */
export async function createToolMessages(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  for (const column of ['call_state', 'call', 'outcome', 'notice']) {
    await trx.schema.alterTable('messages').addColumn(column, 'text').execute()
  }
  // Finds pending calls without reading all messages.
  await sql`create index messages_waiting on messages (chat_id) where call_state = 'waiting'`.execute(trx)
  await trx.schema
    .createTable('result_images')
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('place', integer, (c) => c.notNull())
    .addColumn('mime_type', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('result_images_key', ['chat_id', 'message_id', 'place'])
    .addForeignKeyConstraint(
      'images_of_messages',
      ['chat_id', 'message_id'],
      'messages',
      ['chat_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await trx.schema
    .createTable('question_answers')
    .addColumn('question_id', 'text', (c) => c.primaryKey())
    .addColumn('run_id', integer, (c) => c.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('answer', 'text', (c) => c.notNull())
    .execute()
  await trx.schema.createIndex('question_answers_by_run').on('question_answers').column('run_id').execute()
}
