import { ofUser } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import type { AccountRow, UserRow } from '../../db/tables/tables.ts'
import { lockAccount } from '../accounts/account-store.ts'
import { lockUser } from './user-store.ts'

/** A local or Google account of the embedded provider, together with its user if it has signed in. */
type ManagedAccount = Omit<AccountRow, 'picture'> & {
  readonly user_id: string | null
  readonly used_at: number | null
}

/** All accounts, the oldest first. */
export function listAccounts(db: Db, issuer: string): Promise<ManagedAccount[]> {
  return db
    .selectFrom('accounts as a')
    .leftJoin('users as u', (join) => join.onRef('u.subject', '=', 'a.id').on('u.issuer', '=', issuer))
    .select(['a.id', 'a.email', 'a.name', 'a.password_hash', 'a.disabled_at', 'a.created_at'])
    .select(['u.id as user_id', 'u.used_at'])
    .orderBy('a.created_at')
    .orderBy('a.id')
    .execute()
}

/** All users of a provider, the oldest first. */
export function listUsersOfIssuer(db: Db, issuer: string): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', issuer)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function setAccountDisabled(db: Db, id: string, disabledAt: number | null): Promise<void> {
  await db.updateTable('accounts').set({ disabled_at: disabledAt }).where('id', '=', id).execute()
}

export async function deleteAccount(db: Db, id: string): Promise<void> {
  await db.deleteFrom('accounts').where('id', '=', id).execute()
}

/**
 * Locks the rows of a user and of its account, so that no other command changes either before the transaction ends. The
 * account is locked before all other rows, as when a password is changed, so that the two do not deadlock.
 */
export async function lockManagedUser(
  trx: Db,
  { id, userId }: { readonly id: string; readonly userId: string | null },
): Promise<void> {
  await lockAccount(trx, id)
  if (userId !== null) await lockUser(trx, { id: userId })
}

/** Disables a user, and stores the work that a node has to do. */
export async function disableUserRow(
  db: Db,
  id: string,
  change: { readonly disabled_at: number; readonly pending: NonNullable<UserRow['pending']> },
): Promise<void> {
  await db.updateTable('users').set(change).where('id', '=', id).execute()
}

export async function enableUserRow(db: Db, id: string): Promise<void> {
  await db.updateTable('users').set({ disabled_at: null }).where('id', '=', id).execute()
}

/**
 * Deletes the consents that a user has begun at the authorization servers of connectors and at Google, so that none can
 * be completed.
 */
export async function deletePendingConsents(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('connector_consents').where(ofUser(userId, 'connector_consents')).execute()
  await db.deleteFrom('integration_consents').where(ofUser(userId, 'integration_consents')).execute()
}

export async function deleteSharesOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('shares').where(ofUser(userId, 'shares')).execute()
}

/** The ids of the users whom the operator has disabled or deleted and for whom a node still has work to do. */
export async function listPendingUserIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('users').select('id').where('pending', 'is not', null).execute()
  return rows.map(({ id }) => id)
}

/** Returns undefined when no work is left to do for the user. */
export function findPendingUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .where('pending', 'is not', null)
    .executeTakeFirst()
}

/**
 * Stores that the tokens of a user were revoked. Changes nothing when the operator has deleted the user meanwhile, or
 * has enabled and disabled the user again, because the user may have connected other accounts in between.
 */
export async function clearRevoke(
  db: Db,
  { id, disabled_at }: Pick<UserRow, 'id' | 'disabled_at'>,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ pending: null })
    .where('id', '=', id)
    .where('pending', '=', 'revoke')
    .where((where) => where.or([where('disabled_at', 'is', null), where('disabled_at', '=', disabled_at)]))
    .execute()
}

export async function hasRunningRuns(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('runs')
    .select('id')
    .where(ofUser(userId, 'runs'))
    .where('status', '=', 'running')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Deletes a user whom the operator has deleted. The foreign keys of the other tables delete all remaining data of the
 * user. Returns false when another node has done it; a row with this id may exist again
 * (`insertDisabledIdentity`).
 */
export async function deleteUserRow(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('users')
    .where('id', '=', id)
    .where('pending', '=', 'delete')
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Stores that an identity of a hosted provider stays disabled. It has no name, e-mail or picture any more. */
export async function insertDisabledIdentity(
  db: Db,
  { id, issuer, subject, created_at, disabled_at }: UserRow,
): Promise<void> {
  const profile = { name: null, email: null, picture: null }
  await db
    .insertInto('users')
    .values({ id, issuer, subject, created_at, disabled_at, pending: null, ...profile })
    .execute()
}

export async function listDisabledUserIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('users').select('id').where('disabled_at', 'is not', null).execute()
  return rows.map(({ id }) => id)
}
