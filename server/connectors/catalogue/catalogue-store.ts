import type { Db } from '../../db/database.ts'
import type { ConnectorCatalogueRow } from '../../db/tables/connector-tables.ts'

/** Returns the stored copy of a registry; `source` is the registry's URL. */
export function findCatalogue(db: Db, source: string): Promise<ConnectorCatalogueRow | undefined> {
  return db.selectFrom('connector_catalogue').selectAll().where('source', '=', source).executeTakeFirst()
}

/**
 * Claims the next refresh of a catalogue. Returns false when any node has claimed one less than `intervalMs` ago. `now`
 * is in milliseconds since 1970.
 */
export async function claimRefresh(
  db: Db,
  source: string,
  now: number,
  intervalMs: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('connector_catalogue')
    .values({ source, servers: '[]', fetched_at: 0, attempted_at: now })
    .onConflict((conflict) =>
      conflict
        .column('source')
        .doUpdateSet({ attempted_at: now })
        .where('connector_catalogue.attempted_at', '<=', now - intervalMs),
    )
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Stores the servers of a registry. `servers` is the JSON of a list of `BrowseServer`. */
export async function saveCatalogue(db: Db, source: string, servers: string, now: number): Promise<void> {
  await db
    .updateTable('connector_catalogue')
    .set({ servers, fetched_at: now })
    .where('source', '=', source)
    .execute()
}
