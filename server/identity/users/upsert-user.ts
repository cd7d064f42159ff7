import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/database.ts'
import { newId } from '../../lib/new-id.ts'
import { endSetUp } from '../accounts/set-up-token.ts'
import type { OnNewUser } from '../identity.ts'
import type { Profile, User } from '../user.ts'
import { findUser, insertUser, updateProfile } from './user-store.ts'

/** A user is read from the database once in this time. */
const maxCacheMs = 60_000
const maxCachedUsers = 10_000

/**
 * Returns the user with this issuer and subject. Stores a new user, and updates the profile of a known one. A field that
 * is missing in `profile` keeps its stored value (§15.3).
 */
export type UpsertUser = (issuer: string, subject: string, profile: Partial<Profile>) => Promise<User>

export function createUpsertUser({
  db,
  now,
  onNewUser,
}: {
  readonly db: Database['db']
  readonly now: () => number
  readonly onNewUser: OnNewUser
}): UpsertUser {
  const cache = new LRUCache<string, { readonly user: User; readonly until: number }>({ max: maxCachedUsers })

  return async function upsertUser(issuer, subject, profile) {
    const key = JSON.stringify([issuer, subject])
    const cached = cache.get(key)
    if (cached !== undefined && cached.until > now() && hasProfile(cached.user, profile)) {
      return cached.user
    }
    const stored = (await findUser(db, issuer, subject)) ?? (await insert(issuer, subject, profile))
    const user = hasProfile(stored, profile) ? stored : { ...stored, ...profile }
    if (user !== stored) {
      await updateProfile(db, user.id, { name: user.name, email: user.email, picture: user.picture })
    }
    cache.set(key, { user, until: now() + maxCacheMs })
    return user
  }

  async function insert(issuer: string, subject: string, profile: Partial<Profile>): Promise<User> {
    const user: User = { id: newId(), issuer, subject, name: null, email: null, picture: null, ...profile }
    return db.transaction().execute(async (trx) => {
      if (await insertUser(trx, user, now())) {
        await endSetUp(trx)
        await onNewUser(trx, user)
        return user
      }
      const existing = await findUser(trx, issuer, subject)
      if (existing === undefined) throw new Error('A user was neither stored nor found.')
      return existing
    })
  }
}

function hasProfile(user: User, profile: Partial<Profile>): boolean {
  return (['name', 'email', 'picture'] as const).every(
    (field) => profile[field] === undefined || profile[field] === user[field],
  )
}
