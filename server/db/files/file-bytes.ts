/**
 * The bytes of the files in `user_files`, by the id of the file. They never change. Bytes without a row there do not count:
 * their writer was killed, or the row was deleted, and `server/files/remove-unused.ts` deletes them.
 */
export interface FileBytes {
  /**
   * Writes the bytes, in which `source` is not kept in memory as a whole. They are durable when this resolves, and
   * deleted again when it rejects, for example with the error of the source.
   */
  write(id: string, source: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Reads the bytes from `start` up to, but without, `end`: by default all of them. They end early, or at once, when
   * they are not all there.
   */
  read(id: string, start?: number, end?: number): AsyncIterable<Buffer>
  /** Does nothing when there are none. */
  delete(id: string): Promise<void>
}

/** Bytes of a piece: of a row in PostgreSQL, of a line in a backup, and of one read of a file. */
export const pieceBytes = 262_144

/** Cuts what a source yields into pieces of `pieceBytes`; the last one may be shorter. */
export async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (let part of source) {
    while (length + part.length >= pieceBytes) {
      const taken = pieceBytes - length
      yield Buffer.concat([...parts, part.subarray(0, taken)], pieceBytes)
      part = part.subarray(taken)
      parts.length = 0
      length = 0
    }
    if (part.length === 0) continue
    // A copy, because the source may use its buffer again.
    parts.push(Buffer.from(part))
    length += part.length
  }
  if (length > 0) yield Buffer.concat(parts, length)
}

/** Reads all bytes into memory. */
export async function collectBytes(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}

/** Whether there are bytes with this id. */
export async function areThere(bytes: FileBytes, id: string): Promise<boolean> {
  return (await collectBytes(bytes.read(id, 0, 1))).length > 0
}

/** Yields these bytes only. */
export async function* oneBuffer(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
