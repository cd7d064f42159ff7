import type { Db } from '../database.ts'
import { type FileBytes, inPieces, pieceBytes } from './file-bytes.ts'

/** The bytes of files in the table `file_pieces`, where every node of a PostgreSQL database has them. */
export class TableBytes implements FileBytes {
  readonly #db: Db

  constructor(db: Db) {
    this.#db = db
  }

  async write(id: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    let number = 0
    try {
      for await (const data of inPieces(source)) {
        await this.#db.insertInto('file_pieces').values({ file_id: id, number, data }).execute()
        number += 1
      }
    } catch (error) {
      // The connection may be lost. What is left is deleted with the unused bytes.
      await this.delete(id).catch(() => undefined)
      throw error
    }
  }

  async *read(id: string, start = 0, end = Infinity): AsyncGenerator<Buffer> {
    for (let number = Math.floor(start / pieceBytes); number * pieceBytes < end; number++) {
      const row = await this.#db
        .selectFrom('file_pieces')
        .select('data')
        .where('file_id', '=', id)
        .where('number', '=', number)
        .executeTakeFirst()
      if (row === undefined) return
      const offset = number * pieceBytes
      // PGlite returns an array of bytes that is no buffer.
      yield Buffer.from(row.data).subarray(Math.max(0, start - offset), Math.max(0, end - offset))
      if (row.data.length < pieceBytes) return
    }
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom('file_pieces').where('file_id', '=', id).execute()
  }
}
