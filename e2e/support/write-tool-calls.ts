import { join } from 'node:path'
import { sqliteFileName } from '../../server/db/open-database.ts'
import { openSqlite } from '../../server/db/dialects/sqlite.ts'

/** Writes so many calls of a connector's tool straight into the database of a product, the last one the newest. */
export async function writeToolCalls(
  dataDir: string,
  email: string,
  connectorName: string,
  count: number,
): Promise<void> {
  const { db, close } = openSqlite(join(dataDir, sqliteFileName))
  try {
    const connector = await db
      .selectFrom('connectors')
      .innerJoin('users', 'users.id', 'connectors.user_id')
      .select(['connectors.id', 'users.id as user_id'])
      .where('users.email', '=', email)
      .where('connectors.name', '=', connectorName)
      .executeTakeFirstOrThrow()
    const rowOf = (index: number) => ({
      id: `${connector.id}_call${index}`,
      user_id: connector.user_id,
      connector_id: connector.id,
      connector: connectorName,
      tool: `tool${index}`,
      arguments_hash: 'hash',
      approval: index % 2 === 0 ? 'once' : 'denied',
      outcome: index % 2 === 0 ? 'done' : 'denied',
      started_at: Date.UTC(2026, 0, 2, 3, 4, index),
      duration: index % 2 === 0 ? 1_500 : null,
      bytes: index % 2 === 0 ? 2_048 : null,
    })
    const rows = Array.from({ length: count }, (_, index) => rowOf(index + 1))
    await db.insertInto('tool_calls').values(rows).execute()
  } finally {
    await close()
  }
}
