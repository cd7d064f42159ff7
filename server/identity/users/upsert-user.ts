import type { Database } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/new-id.ts'
import { endSetUp } from '../accounts/set-up-token.ts'
import type { OnNewUser } from '../identity.ts'
import type { Profile, User } from '../user.ts'
import { findUserRow, insertUser, toUser, updateUser } from './user-store.ts'

/** The last use of a user is stored at most once in this time. */
const usedAtPrecisionMs = 3_600_000

/**
 * Returns the user with this issuer and subject. Stores a new user, and updates profile and last use of a known one. A field
 * that is missing in `profile` keeps its stored value. `stored` is the row that the caller has read for this
 * request.
 * @throws AppError `unauthenticated` for a user whom the operator has disabled or deleted
 */
export type UpsertUser = (
  issuer: string,
  subject: string,
  profile: Partial<Profile>,
  stored?: UserRow,
) => Promise<User>

export function createUpsertUser({
  db,
  now,
  onNewUser,
}: {
  readonly db: Database['db']
  readonly now: () => number
  readonly onNewUser: OnNewUser
}): UpsertUser {
  return async function upsertUser(issuer, subject, profile, stored) {
    if (stored === undefined) return insert(issuer, subject, profile)
    const user = requireEnabled(stored)
    const isUsedRecently = now() - (stored.used_at ?? 0) < usedAtPrecisionMs
    if (isUsedRecently && hasProfile(user, profile)) return user
    const changed = { ...user, ...profile }
    const { name, email, picture } = changed
    await updateUser(db, user.id, { name, email, picture, used_at: now() })
    return changed
  }

  async function insert(issuer: string, subject: string, profile: Partial<Profile>): Promise<User> {
    const user: User = { id: newId(), issuer, subject, name: null, email: null, picture: null, ...profile }
    return db.transaction().execute(async (trx) => {
      if (await insertUser(trx, user, now())) {
        await endSetUp(trx)
        await onNewUser(trx, user)
        return user
      }
      const existing = await findUserRow(trx, issuer, subject)
      if (existing === undefined) throw new Error('A user was neither stored nor found.')
      return requireEnabled(existing)
    })
  }
}

/** The reason for which a browser signs out after its user has deleted the account in another one. */
export const accountDeleted = 'Your account is deleted.'

function requireEnabled(row: UserRow): User {
  if (row.disabled_at === null) return toUser(row)
  if (row.pending === 'delete') throw new AppError('unauthenticated', accountDeleted)
  throw new AppError('unauthenticated', 'Your account is disabled. Ask the operator of this server.')
}

function hasProfile(user: User, profile: Partial<Profile>): boolean {
  return (['name', 'email', 'picture'] as const).every(
    (field) => profile[field] === undefined || profile[field] === user[field],
  )
}
