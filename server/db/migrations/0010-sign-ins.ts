import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** The sign-ins of each account, the account of each record of the provider, and users who are disabled or removed. */
export async function createSignIns(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('sign_ins')
    .addColumn('grant_id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('browser', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('used_at', integer, (c) => c.notNull())
    .execute()
  await trx.schema.createIndex('sign_ins_by_account').on('sign_ins').column('account_id').execute()
  await trx.schema.alterTable('oidc').addColumn('account_id', 'text').execute()
  await trx.schema.alterTable('oidc').addColumn('sign_in_id', 'text').execute()
  await trx.schema.createIndex('oidc_by_account').on('oidc').column('account_id').execute()
  await trx.schema.alterTable('accounts').addColumn('disabled_at', integer).execute()
  await trx.schema.alterTable('users').addColumn('disabled_at', integer).execute()
  await trx.schema.alterTable('users').addColumn('pending', 'text').execute()
}
