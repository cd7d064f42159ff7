import { type PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** A file in a ZIP. Its content is read when its turn has come, and to its end before the next entry is made. */
export interface ZipEntry {
  /** Relative, with `/` between its parts. */
  readonly path: string
  readonly content: AsyncIterable<string | Uint8Array>
  /** Stored as it is: most files are compressed already. */
  readonly isStored: boolean
}

/**
 * Yields the bytes of a ZIP. Of the entries, only their paths are kept in memory; an entry and the whole may have more
 * than 4 GB.
 */
export async function* writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const zip = new ZipFile()
  const output = zip.outputStream as PassThrough
  const ended = new AbortController()
  const filling = fill(zip, entries, ended.signal).catch((error: unknown) => {
    output.destroy(error instanceof Error ? error : new Error('an entry failed', { cause: error }))
  })
  try {
    for await (const piece of output) yield piece as Buffer
  } finally {
    // Whoever reads the ZIP may have stopped, which must close what is being read for it.
    ended.abort()
    output.destroy()
    await filling
  }
}

async function fill(zip: ZipFile, entries: AsyncIterable<ZipEntry>, signal: AbortSignal): Promise<void> {
  for await (const { path, content, isStored } of entries) {
    const source = Readable.from(toBuffers(content), { objectMode: false, signal })
    zip.addReadStream(source, path, { compress: !isStored })
    await finished(source)
  }
  zip.end()
}

async function* toBuffers(content: ZipEntry['content']): AsyncGenerator<Uint8Array> {
  for await (const part of content)
    if (part.length > 0) yield typeof part === 'string' ? Buffer.from(part) : part
}
