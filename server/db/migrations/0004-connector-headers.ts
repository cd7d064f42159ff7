import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** The headers that a user's connector sends, sealed. */
export async function addConnectorHeaders(trx: Kysely<Tables>): Promise<void> {
  await trx.schema.alterTable('connectors').addColumn('headers', 'text').execute()
}
