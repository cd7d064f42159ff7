import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** Why calls of a connector, and of an integration's connector, fail. */
export async function addCallErrors(trx: Kysely<Tables>): Promise<void> {
  await trx.schema.alterTable('connectors').addColumn('call_error', 'text').execute()
  await trx.schema.alterTable('integrations').addColumn('call_error', 'text').execute()
}
