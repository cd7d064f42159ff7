import { sql } from 'kysely'
import type { ChangeNotification, Db, Dialect } from './database.ts'

type Clock = Pick<Dialect, 'clock'>

/** Writes that this server lives for another `leaseMs` milliseconds. */
export async function upsertNode(
  db: Db,
  { clock }: Clock,
  { id, leaseMs, draining }: { readonly id: string; readonly leaseMs: number; readonly draining: boolean },
): Promise<void> {
  const values = { id, lease_until: sql<number>`${clock} + ${leaseMs}`, draining: draining ? 1 : 0 }
  await db
    .insertInto('nodes')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ lease_until: values.lease_until, draining: values.draining }),
    )
    .execute()
}

/** Removes a server, and those whose lease has ended. */
export async function deleteNode(db: Db, { clock }: Clock, id: string): Promise<void> {
  await db
    .deleteFrom('nodes')
    .where((where) => where.or([where('id', '=', id), where('lease_until', '<', clock)]))
    .execute()
}

/** The servers that live, or ended less than a lease ago without removing themselves. */
export async function listLiveNodes(
  db: Db,
  { clock }: Clock,
): Promise<readonly { readonly id: string; readonly draining: number }[]> {
  return db.selectFrom('nodes').select(['id', 'draining']).where('lease_until', '>=', clock).execute()
}

/** The changes of the last `maxAgeMs` milliseconds. */
export async function listChanges(
  db: Db,
  { clock }: Clock,
  maxAgeMs: number,
): Promise<readonly (ChangeNotification & { readonly id: number })[]> {
  return db
    .selectFrom('changes')
    .select(['id', 'topic', 'node_id as nodeId', 'user_id as userId', 'subject'])
    .where('created_at', '>=', sql<number>`${clock} - ${maxAgeMs}`)
    .orderBy('id')
    .execute()
}

/** Removes the changes that are older than `maxAgeMs` milliseconds. */
export async function deleteOldChanges(db: Db, { clock }: Clock, maxAgeMs: number): Promise<void> {
  await db
    .deleteFrom('changes')
    .where('created_at', '<', sql<number>`${clock} - ${maxAgeMs}`)
    .execute()
}
