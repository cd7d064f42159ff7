import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import type { FormerFileTable } from '../tables/tables.ts'
import { oneBuffer } from './file-bytes.ts'
import { TableBytes } from './table-bytes.ts'

/**
 * Makes files of users of the files in `files`, one in each transaction, since each may have megabytes. Nodes of the
 * version before may still add some.
 */
export async function moveFormerFiles({ db, dialect, bytes }: Database): Promise<void> {
  for (let isDone = false; !isDone;) {
    isDone = await db.transaction().execute(async (trx) => {
      // The deletion locks the row, so that two nodes do not move the same file.
      const { rows } = await sql<FormerFileTable>`
        delete from files where id = (select id from files limit 1) returning *`.execute(trx)
      const [file] = rows
      if (file === undefined) return true
      await moveFile(trx, file, dialect.kind === 'postgres' ? new TableBytes(trx) : bytes)
      return false
    })
  }
}

async function moveFile(trx: Db, file: FormerFileTable, bytes: Database['bytes']): Promise<void> {
  const { id, chat_id, message_id, name, type } = file
  const owner = await trx
    .selectFrom('messages as m')
    .innerJoin('chats as c', 'c.id', 'm.chat_id')
    .select('c.user_id')
    .where('m.chat_id', '=', chat_id)
    .where('m.id', '=', message_id)
    .executeTakeFirst()
  if (owner === undefined) return
  const { user_id } = owner
  const content = Buffer.from(file.data, 'base64')
  const hash = createHash('sha256').update(content).digest('hex')
  const same = await trx
    .selectFrom('user_files')
    .select('id')
    .where('user_id', '=', user_id)
    .where('hash', '=', hash)
    .executeTakeFirst()
  await bytes.write(id, oneBuffer(content))
  await trx
    .insertInto('user_files')
    .values({
      id,
      user_id,
      // Its message keeps the id, so the same picture of two results stays two files.
      hash: same === undefined ? hash : null,
      name,
      type,
      size: content.length,
      width: null,
      height: null,
      unit: null,
      total: null,
      problem: null,
      unsent_since: null,
    })
    .execute()
  await trx.insertInto('message_files').values({ file_id: id, chat_id, message_id }).execute()
}
