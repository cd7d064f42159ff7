import type { AccountContents } from '@yonder/contract/account'
import { sql } from 'kysely'
import { exportable, ofUser, type Actor } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'

export type ContentCounts = Omit<AccountContents, 'confirmation'>

/** Counts what is deleted with the account of a user. Chats that are deleted already are not among it. */
export async function countContents(db: Db, user: Actor): Promise<ContentCounts> {
  const count = (source: 'user_files' | 'shares' | 'bots' | 'connectors') =>
    sql`(select count(*) from ${sql.table(source)} where ${ofUser(user.id, source)})`
  const { rows } = await sql<Record<keyof ContentCounts, number | string>>`
    select (select count(*) from chats where ${exportable(user, 'chats')}) as chats,
      ${count('user_files')} as files, ${count('shares')} as shares, ${count('bots')} as bots,
      ${count('connectors')} as connectors`.execute(db)
  const [row] = rows
  return {
    chats: Number(row?.chats),
    files: Number(row?.files),
    shares: Number(row?.shares),
    bots: Number(row?.bots),
    connectors: Number(row?.connectors),
  }
}
