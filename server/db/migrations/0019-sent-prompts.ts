import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** What the model was given for each reply. */
export async function createSentPrompts(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('sent_prompts')
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('prompt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('sent_prompts_key', ['chat_id', 'message_id'])
    .addForeignKeyConstraint(
      'prompts_of_messages',
      ['chat_id', 'message_id'],
      'messages',
      ['chat_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await trx.schema
    .createTable('prompt_texts')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('used_at', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('prompt_texts_key', ['user_id', 'hash'])
    .execute()
  await trx.schema
    .createIndex('prompt_texts_by_use')
    .on('prompt_texts')
    .columns(['user_id', 'used_at'])
    .execute()
}
