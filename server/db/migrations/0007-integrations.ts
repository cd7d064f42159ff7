import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Connections to outside services, and the pending consents of users. */
export async function createIntegrations(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('integrations')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('version', integer, (c) => c.notNull())
    .addColumn('api_key', 'text')
    .addColumn('tokens', 'text')
    .addColumn('scopes', 'text')
    .addColumn('ended', integer, (c) => c.notNull())
    .addColumn('refreshing_until', integer)
    .addColumn('created_at', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('integrations_key', ['user_id', 'name'])
    .execute()
  await trx.schema
    .createTable('integration_consents')
    .addColumn('state_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('verifier', 'text', (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .addForeignKeyConstraint(
      'consents_of_integrations',
      ['user_id', 'name'],
      'integrations',
      ['user_id', 'name'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await trx.schema
    .createIndex('integration_consents_by_end')
    .on('integration_consents')
    .column('expires_at')
    .execute()
}
