import type { Db } from '../../db/database.ts'
import type { SignInRow } from '../../db/tables/tables.ts'

export async function insertSignIn(db: Db, signIn: SignInRow): Promise<void> {
  await db.insertInto('sign_ins').values(signIn).execute()
}

/** Stores when the tokens of a sign-in were last issued. */
export async function touchSignIn(db: Db, grantId: string, now: number): Promise<void> {
  await db.updateTable('sign_ins').set({ used_at: now }).where('grant_id', '=', grantId).execute()
}

/** The sign-ins of an account that began after `since`, the most recently used one first. */
export function listSignIns(db: Db, accountId: string, since = 0): Promise<SignInRow[]> {
  return db
    .selectFrom('sign_ins')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('created_at', '>', since)
    .orderBy('used_at', 'desc')
    .orderBy('grant_id')
    .execute()
}

export async function deleteSignIn(db: Db, grantId: string): Promise<void> {
  await db.deleteFrom('sign_ins').where('grant_id', '=', grantId).execute()
}

/** Deletes the sign-ins that began before `before`. Their grants have expired. */
export async function deleteOldSignIns(db: Db, before: number): Promise<void> {
  await db.deleteFrom('sign_ins').where('created_at', '<', before).execute()
}
