import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** The instructions of a bot, and the options of its model calls. */
export async function addBotOptions(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  const columns = [
    ['instructions', 'text'],
    ['temperature', 'double precision'],
    ['top_p', 'double precision'],
    ['reasoning_effort', 'text'],
    ['context_window', integer],
    ['connectors', 'text'],
  ] as const
  for (const [name, type] of columns) await trx.schema.alterTable('bots').addColumn(name, type).execute()
}
