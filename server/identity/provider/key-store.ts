import type { Db } from '../../db/database.ts'

/** A named secret of the installation, still sealed. */
export async function findKey(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('keys').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

/** Keeps what is there already: of two nodes that start at once, one makes the key. */
export async function insertKey(db: Db, name: string, value: string, now: number): Promise<void> {
  await db
    .insertInto('keys')
    .values({ name, value, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Replaces a key that still is `known`; false when another node was first. */
export async function replaceKey(db: Db, name: string, known: string, value: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('keys')
    .set({ value })
    .where('name', '=', name)
    .where('value', '=', known)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** True for the one caller that removed it. */
export async function deleteKey(db: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('keys').where('name', '=', name).executeTakeFirst()
  return numDeletedRows === 1n
}
