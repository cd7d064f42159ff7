import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/database.ts'
import { deleteOldestRecords, type OidcRecord } from './oidc-store.ts'

/** The model of sessions without an account, which anyone can create. Their limit does not apply to `Session`. */
export const anonymousSessionModel = 'AnonymousSession'

/** The model of a sign-in at Google that has not returned yet. */
export const federationModel = 'Federation'

/** The models that anyone can store without signing in. */
const openModels: ReadonlySet<string> = new Set(['Interaction', anonymousSessionModel, federationModel])

/** A signed-in browser can store any number of these, because used tokens are kept to detect a second use. */
const tokenModel = 'RefreshToken'

/** Called after a record was stored. Deletes older ones when there are too many. */
export type LimitRecords = (record: Pick<OidcRecord, 'model' | 'grant_id'>) => Promise<void>

export interface RecordLimits {
  /** Records of each model that anyone can store. With the longest parameters, 10,000 take about 85 MB. */
  readonly max?: number
  /** Refresh tokens of each sign-in. An open page uses 300 a day. */
  readonly maxTokens?: number
  /** The oldest are deleted once for this number of new ones, because finding them takes some milliseconds. */
  readonly every?: number
}

/** Sign-ins whose counts are kept. The count of any other sign-in starts again at zero. */
const maxCountedGrants = 10_000

/** Keeps about the newest `max` and `maxTokens` records, and deletes those that expire first. */
export function createRecordLimiter(
  db: Db,
  { max = 10_000, maxTokens = 1_000, every = 200 }: RecordLimits = {},
): LimitRecords {
  const countOf = new LRUCache<string, number>({ max: maxCountedGrants })
  /** Counts a record. Returns true for each one after which the oldest are deleted. */
  const count = (key: string): boolean => {
    const next = (countOf.get(key) ?? 0) + 1
    countOf.set(key, next % every)
    return next === every
  }
  return async ({ model, grant_id }) => {
    if (openModels.has(model)) {
      if (count(model)) await deleteOldestRecords(db, { model }, max)
    } else if (model === tokenModel && grant_id !== null && count(grant_id)) {
      await deleteOldestRecords(db, { model, grant_id }, maxTokens)
    }
  }
}
