import type { Db } from '../../db/database.ts'
import { deleteOldestRecords } from './oidc-store.ts'

/** Sessions without an account are stored under this name, because anyone can create them. */
export const anonymousSession = 'AnonymousSession'

/** A sign-in at Google that has not returned yet. */
export const federation = 'Federation'

/** The models that anyone can store without signing in. */
const openModels: ReadonlySet<string> = new Set(['Interaction', anonymousSession, federation])

/** Called after a record was stored. */
export type LimitRecords = (model: string) => Promise<void>

/**
 * Keeps about `max` records of each model that anyone can store, and deletes the oldest of the others (§15.24). At the
 * longest parameters 10,000 records have about 85 MB. Finding the oldest takes some milliseconds, so it is done once for
 * `every` records.
 */
export function createRecordLimiter(db: Db, { max = 10_000, every = 200 } = {}): LimitRecords {
  const countOf = new Map<string, number>()
  return async (model) => {
    if (!openModels.has(model)) return
    const count = (countOf.get(model) ?? 0) + 1
    countOf.set(model, count % every)
    if (count === every) await deleteOldestRecords(db, model, max)
  }
}
