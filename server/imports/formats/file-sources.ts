import { Readable } from 'node:stream'
import { AppError } from '../../lib/app-error.ts'
import { keepResult } from '../../lib/keep-result.ts'
import type { FileSource } from '../imported-chat.ts'
import { type Archive, openArchive } from './archive.ts'
import type { ExportFile } from './open-export.ts'

/** Reads the bytes of the files of chats, from the files that were given to the import. An archive is opened when it is needed. */
export class FileSources {
  readonly #archives: readonly (() => Promise<Archive>)[]
  readonly #opened: Archive[] = []

  constructor(files: readonly ExportFile[]) {
    this.#archives = files.map(({ name, path }) =>
      keepResult(async () => {
        const archive = await openArchive(name, path)
        this.#opened.push(archive)
        return archive
      }),
    )
  }

  /**
   * Returns how many bytes a file has, as its archive says, and the bytes. A stream with more of them ends with an error.
   * @throws AppError `not_found` when the archive has no such file
   */
  async open(source: FileSource): Promise<{ readonly size: number; readonly bytes: Readable }> {
    if (!('archive' in source)) {
      const bytes = 'text' in source ? Buffer.from(source.text) : Buffer.from(source.base64, 'base64')
      return { size: bytes.length, bytes: Readable.from([bytes]) }
    }
    const archive = await this.#archives[source.archive]?.()
    const entry = archive?.entries.get(source.entry)
    if (archive === undefined || entry === undefined) {
      throw new AppError('not_found', `The export has no file ${source.entry}.`)
    }
    return { size: entry.uncompressedSize, bytes: await archive.read(entry) }
  }

  close(): void {
    for (const archive of this.#opened) archive.close()
  }
}
