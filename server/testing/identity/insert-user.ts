import type { Db } from '../../db/database.ts'

/** A person without a sign-in, for tests that begin behind it. */
export async function insertUser(db: Db, id: string): Promise<{ readonly id: string }> {
  const row = { id, issuer: 'test', subject: id, name: null, email: null, picture: null, created_at: 1 }
  await db.insertInto('users').values(row).execute()
  return { id }
}
