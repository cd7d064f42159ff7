import type { Db } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import type { Profile, User } from '../user.ts'

export async function findUser(db: Db, issuer: string, subject: string): Promise<User | undefined> {
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row && toUser(row)
}

/** Returns false when another request stored the same user first. */
export async function insertUser(db: Db, user: User, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('users')
    .values({ ...user, created_at: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function updateProfile(db: Db, id: string, profile: Profile): Promise<void> {
  await db.updateTable('users').set(profile).where('id', '=', id).execute()
}

function toUser({ id, issuer, subject, name, email, picture }: UserRow): User {
  return { id, issuer, subject, name, email, picture }
}
