import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** The built-in identity provider: its sealed keys, accounts and protocol records. */
export async function createIdentity(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('keys')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .execute()
  await trx.schema
    .createTable('accounts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('email', 'text')
    .addColumn('name', 'text')
    .addColumn('picture', 'text')
    .addColumn('password_hash', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .execute()
  // An account that signs in with Google may have the email of a local account. They are two accounts.
  await sql`create unique index accounts_email on accounts (email) where password_hash is not null`.execute(
    trx,
  )
  await trx.schema
    .createTable('oidc')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('grant_id', 'text')
    .addColumn('uid', 'text')
    .addColumn('expires_at', integer)
    .addColumn('consumed_at', integer)
    .addPrimaryKeyConstraint('oidc_key', ['model', 'id'])
    .execute()
  await trx.schema.createIndex('oidc_by_grant').on('oidc').column('grant_id').execute()
  await trx.schema.createIndex('oidc_by_uid').on('oidc').columns(['model', 'uid']).execute()
  await trx.schema.createIndex('oidc_by_expiry').on('oidc').column('expires_at').execute()
  await trx.schema
    .createTable('ended_grants')
    .addColumn('grant_id', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .execute()
}
