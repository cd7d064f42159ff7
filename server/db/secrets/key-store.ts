import type { Db } from '../database.ts'

/** The encrypted value of a key of this installation. */
export async function findKey(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('keys').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

/** Does nothing when the key exists. When two nodes start together, the key of one of them is stored. */
export async function insertKey(db: Db, name: string, value: string, now: number): Promise<void> {
  await db
    .insertInto('keys')
    .values({ name, value, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Replaces a key if its value is still `known`. Returns false when another node has replaced it. */
export async function replaceKey(db: Db, name: string, known: string, value: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('keys')
    .set({ value })
    .where('name', '=', name)
    .where('value', '=', known)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Returns true for the one caller that deleted the key. */
export async function deleteKey(db: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('keys').where('name', '=', name).executeTakeFirst()
  return numDeletedRows === 1n
}
