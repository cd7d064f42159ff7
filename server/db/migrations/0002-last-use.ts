import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** When each user last used Yonder. For users with an account here, the sign-ins that are still stored know it. */
export async function addLastUse(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await sql.raw(`alter table users add column used_at ${integer}`).execute(trx)
  await sql`update users set used_at = (select max(used_at) from sign_ins where account_id = users.subject)
    where issuer in (select issuer from installation)`.execute(trx)
}
