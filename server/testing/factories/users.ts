import type { Db } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { newId } from '../../lib/new-id.ts'

/** The row of a user. A test passes only the fields that matter to it. */
export function userRow(fields: Partial<UserRow> = {}): UserRow {
  const id = fields.id ?? newId()
  return {
    id,
    issuer: 'test',
    subject: id,
    name: null,
    email: null,
    picture: null,
    created_at: 1,
    disabled_at: null,
    pending: null,
    used_at: null,
    ...fields,
  }
}

/** Stores a user without a session, for tests that need no sign-in. */
export async function addUser(db: Db, fields: Partial<UserRow> = {}): Promise<UserRow> {
  const row = userRow(fields)
  await db.insertInto('users').values(row).execute()
  return row
}
