import { ownedBy } from '../../access/access.ts'
import type { Database } from '../../db/database.ts'
import { oneBuffer } from '../../db/files/file-bytes.ts'
import type { FileTable } from '../../db/tables/tables.ts'
import { insertFile, linkFiles } from '../../files/file-store.ts'

interface FilePlace {
  readonly userId: string
  readonly chatId?: string
  readonly messageId?: string
}

/** Stores a picture of three bytes, in a message if there is one. A test passes only the fields that matter to it. */
export async function addFile(
  { db, bytes }: Pick<Database, 'db' | 'bytes'>,
  { userId, chatId, messageId }: FilePlace,
  fields: Partial<FileTable> = {},
  content: Uint8Array = Buffer.from('cat'),
): Promise<FileTable> {
  const row: FileTable = {
    id: 'file',
    ...ownedBy({ id: userId }),
    hash: null,
    name: 'cat.png',
    type: 'image/png',
    size: content.length,
    width: null,
    height: null,
    unit: null,
    total: null,
    problem: null,
    unsent_since: 1,
    ...fields,
  }
  await bytes.write(row.id, oneBuffer(content))
  await insertFile(db, row)
  if (chatId !== undefined && messageId !== undefined) await linkFiles(db, chatId, messageId, [row.id])
  return row
}
