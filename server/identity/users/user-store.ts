import type { Db } from '../../db/database.ts'
import { prepareQuery } from '../../db/dialects/prepare-query.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import type { Profile, User } from '../user.ts'

const userQuery = prepareQuery((db, user: { readonly issuer: string; readonly subject: string }) =>
  db
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', user.issuer)
    .where('subject', '=', user.subject)
    .compile(),
)

export async function findUserRow(db: Db, issuer: string, subject: string): Promise<UserRow | undefined> {
  return (await userQuery(db, { issuer, subject })).rows[0]
}

/** Returns false when another request stored the same user first. */
export async function insertUser(db: Db, user: User, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('users')
    .values({ ...user, created_at: now, used_at: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function updateUser(
  db: Db,
  id: string,
  change: Profile & { readonly used_at: number },
): Promise<void> {
  await db.updateTable('users').set(change).where('id', '=', id).execute()
}

/** The ids of all users but those that are being deleted, the oldest first. */
export async function listUserIds(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where((user) => user.or([user('pending', 'is', null), user('pending', '<>', 'delete')]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Locks the user's row until `trx` ends, for example so that no other transaction adds to a limited list. */
export async function lockUser(trx: Db, user: Pick<User, 'id'>): Promise<void> {
  await trx
    .updateTable('users')
    .set(({ ref }) => ({ created_at: ref('created_at') }))
    .where('id', '=', user.id)
    .execute()
}

/** False for a user whom the operator has disabled, or who is being deleted. */
export async function isEnabled(db: Db, user: Pick<User, 'id'>): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', user.id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export function toUser({ id, issuer, subject, name, email, picture }: UserRow): User {
  return { id, issuer, subject, name, email, picture }
}

/** The issuer of all users with an account of the built-in provider. The address of that provider may change. */
export async function readOwnIssuer(db: Db): Promise<string> {
  const { issuer } = await db.selectFrom('installation').select('issuer').executeTakeFirstOrThrow()
  return issuer
}
