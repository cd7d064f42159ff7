import type { Db } from '../../db/database.ts'
import type { AccountRow, NewAccountRow } from '../../db/tables/tables.ts'

export async function findAccount(db: Db, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks the row of an account, so that no other transaction changes it before this one ends, and returns it. */
export function lockAccount(trx: Db, id: string): Promise<AccountRow | undefined> {
  return trx
    .updateTable('accounts')
    .set(({ ref }) => ({ created_at: ref('created_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Finds the account with this e-mail and a password. Google accounts have none. */
export async function findLocalAccount(db: Db, email: string): Promise<AccountRow | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('email', '=', email)
    .where('password_hash', 'is not', null)
    .executeTakeFirst()
}

/** Rejects with a unique violation when a local account with this e-mail exists. */
export async function insertAccount(db: Db, account: NewAccountRow): Promise<void> {
  await db.insertInto('accounts').values(account).execute()
}

/** Stores a Google account, or updates its profile. */
export async function upsertFederatedAccount(
  db: Db,
  account: Omit<AccountRow, 'password_hash' | 'disabled_at'>,
): Promise<void> {
  const { id: _id, created_at: _created, ...profile } = account
  await db
    .insertInto('accounts')
    .values({ ...account, password_hash: null })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(profile))
    .execute()
}

/** Replaces the hash of a password. Returns false when the hash is no longer `known`, or the account is disabled. */
export async function updatePassword(
  db: Db,
  id: string,
  known: string,
  passwordHash: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ password_hash: passwordHash })
    .where('id', '=', id)
    .where('password_hash', '=', known)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Whether there is an account, or a user of any provider, also of one that is not configured any more. The owner of the
 * demo chat does not count: its issuer is not an address.
 */
export async function hasAccountOrUser(db: Db): Promise<boolean> {
  const account = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()
  if (account !== undefined) return true
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('issuer', 'like', 'http%')
    .limit(1)
    .executeTakeFirst()
  return user !== undefined
}
