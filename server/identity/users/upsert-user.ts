import type { Database } from '../../db/database.ts'
import { newId } from '../../lib/new-id.ts'
import type { OnNewUser } from '../identity.ts'
import type { Profile, User } from '../user.ts'
import { findUser, insertUser, updateProfile } from './user-store.ts'

/** Milliseconds for which a person is known without a look into the database. */
const memory = 60_000
const mostRemembered = 10_000

/** `profile` holds what the provider said; a field it left out keeps what is stored. */
export type UpsertUser = (issuer: string, subject: string, profile: Partial<Profile>) => Promise<User>

/** Finds the person behind (issuer, subject), storing them at first sight and their profile when it changed. */
export function createUpsertUser({
  db,
  now,
  onNewUser,
}: {
  readonly db: Database['db']
  readonly now: () => number
  readonly onNewUser: OnNewUser
}): UpsertUser {
  const known = new Map<string, { readonly user: User; readonly until: number }>()

  return async function upsertUser(issuer, subject, profile) {
    const key = JSON.stringify([issuer, subject])
    const remembered = known.get(key)
    if (remembered !== undefined && remembered.until > now() && isCurrent(remembered.user, profile)) {
      return remembered.user
    }
    const stored = (await findUser(db, issuer, subject)) ?? (await insert(issuer, subject, profile))
    const user = isCurrent(stored, profile) ? stored : { ...stored, ...profile }
    if (user !== stored) {
      await updateProfile(db, user.id, { name: user.name, email: user.email, picture: user.picture })
    }
    if (known.size >= mostRemembered) known.clear()
    known.set(key, { user, until: now() + memory })
    return user
  }

  async function insert(issuer: string, subject: string, profile: Partial<Profile>): Promise<User> {
    const user: User = { id: newId(), issuer, subject, name: null, email: null, picture: null, ...profile }
    return db.transaction().execute(async (trx) => {
      if (await insertUser(trx, user, now())) {
        await onNewUser(trx, user)
        return user
      }
      const first = await findUser(trx, issuer, subject)
      if (first === undefined) throw new Error('A person was neither stored nor found.')
      return first
    })
  }
}

function isCurrent(user: User, profile: Partial<Profile>): boolean {
  return (['name', 'email', 'picture'] as const).every(
    (field) => profile[field] === undefined || profile[field] === user[field],
  )
}
