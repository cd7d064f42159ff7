import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { FolderBytes } from './folder-bytes.ts'
import { TableBytes } from './table-bytes.ts'

/** Moves the bytes of files from the table `file_pieces` of a SQLite file, which a backup has filled, to the folder. */
export async function settlePieces(db: Db, folder: FolderBytes): Promise<void> {
  const table = new TableBytes(db)
  for (let hasMoved = false; ; hasMoved = true) {
    const row = await db.selectFrom('file_pieces').select('file_id').limit(1).executeTakeFirst()
    if (row === undefined) {
      // Else the file would stay as large as all files together.
      if (hasMoved) await sql`vacuum`.execute(db)
      return
    }
    await folder.write(row.file_id, table.read(row.file_id))
    await table.delete(row.file_id)
  }
}
