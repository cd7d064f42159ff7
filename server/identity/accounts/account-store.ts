import type { Db } from '../../db/database.ts'
import type { AccountRow } from '../../db/tables/tables.ts'

export async function findAccount(db: Db, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
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
export async function insertAccount(db: Db, account: AccountRow): Promise<void> {
  await db.insertInto('accounts').values(account).execute()
}

/** Does nothing when the hash is no longer `known`, because the user has changed the password since. */
export async function replacePasswordHash(db: Db, id: string, known: string, hash: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ password_hash: hash })
    .where('id', '=', id)
    .where('password_hash', '=', known)
    .execute()
}

/** Stores a Google account, or updates its profile. */
export async function upsertFederatedAccount(
  db: Db,
  account: Omit<AccountRow, 'password_hash'>,
): Promise<void> {
  const { id: _id, created_at: _created, ...profile } = account
  await db
    .insertInto('accounts')
    .values({ ...account, password_hash: null })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(profile))
    .execute()
}

/** Whether there is an account, or a user of a hosted provider. The owner of the demo chat has no address as issuer. */
export async function hasAccounts(db: Db): Promise<boolean> {
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
