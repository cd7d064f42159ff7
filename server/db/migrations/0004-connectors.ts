import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Connectors, their tools, the allowed tools, the record of calls, OAuth grants and consents, and the catalogue. */
export async function createConnectors(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const { integer } = dialect
  await trx.schema
    .createTable('connectors')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('token', 'text')
    .addColumn('client_id', 'text')
    .addColumn('client_secret', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('error_message', 'text')
    .addColumn('notice', 'text')
    .addColumn('is_default', integer, (c) => c.notNull())
    .addColumn('asks', integer, (c) => c.notNull())
    .addColumn('slug', 'text', (c) => c.notNull())
    .addColumn('credential_version', integer, (c) => c.notNull())
    .addColumn('tools_expire_at', integer)
    .addColumn('era', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addUniqueConstraint('connectors_name', ['user_id', 'name'])
    .addUniqueConstraint('connectors_slug', ['user_id', 'slug'])
    .execute()
  await trx.schema
    .createTable('connector_tools')
    .addColumn('connector_id', 'text', (c) => c.notNull().references('connectors.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('position', integer, (c) => c.notNull())
    .addColumn('definition', 'text', (c) => c.notNull())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('problem', 'text')
    .addPrimaryKeyConstraint('connector_tools_key', ['connector_id', 'name'])
    .execute()
  await trx.schema
    .createTable('allowed_tools')
    .addColumn('connector_id', 'text', (c) => c.notNull().references('connectors.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('position', integer, (c) => c.notNull())
    .addColumn('fingerprint', 'text')
    .addColumn('definition', 'text')
    .addPrimaryKeyConstraint('allowed_tools_key', ['connector_id', 'name'])
    .execute()
  await createToolCalls(trx, dialect)
  await createConsents(trx, dialect)
}

/** A record is kept when its connector is deleted. */
async function createToolCalls(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('tool_calls')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('connector_id', 'text')
    .addColumn('connector', 'text', (c) => c.notNull())
    .addColumn('tool', 'text', (c) => c.notNull())
    .addColumn('arguments_hash', 'text', (c) => c.notNull())
    .addColumn('approval', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('started_at', integer, (c) => c.notNull())
    .addColumn('duration', integer)
    .addColumn('bytes', integer)
    .execute()
  await trx.schema
    .createIndex('tool_calls_by_time')
    .on('tool_calls')
    .columns(['user_id', 'connector_id', 'started_at'])
    .execute()
}

async function createConsents(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('connector_grants')
    .addColumn('connector_id', 'text', (c) => c.notNull().references('connectors.id').onDelete('cascade'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('client', 'text')
    .addColumn('tokens', 'text')
    .addColumn('discovery', 'text')
    .addColumn('refreshing_until', integer)
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('connector_grants_key', ['connector_id', 'issuer'])
    .execute()
  await trx.schema
    .createTable('connector_consents')
    .addColumn('state_hash', 'text', (c) => c.primaryKey())
    .addColumn('connector_id', 'text', (c) => c.notNull().references('connectors.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('browser_hash', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .execute()
  await trx.schema
    .createTable('connector_catalogue')
    .addColumn('source', 'text', (c) => c.primaryKey())
    .addColumn('servers', 'text', (c) => c.notNull())
    .addColumn('fetched_at', integer, (c) => c.notNull())
    .addColumn('attempted_at', integer, (c) => c.notNull())
    .execute()
}
