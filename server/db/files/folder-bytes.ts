import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../lib/describe-error.ts'
import { giveToOwner, syncFolder } from '../data-folder.ts'
import { type FileBytes, pieceBytes } from './file-bytes.ts'

/** The bytes of files in a folder, which is created with the first one. Two letters of the id name a folder within. */
export class FolderBytes implements FileBytes {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Where the bytes are, for a library that reads a file by itself. */
  pathOf(id: string): string {
    return join(this.#folder, id.slice(0, 2), id)
  }

  async write(id: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.pathOf(id)
    await this.#createFolder(dirname(path))
    // A backup that is being restored may have the bytes that are there.
    const draft = draftOf(path)
    const file = await open(draft, 'w', 0o600)
    try {
      try {
        giveToOwner(draft)
        for await (const part of source) await file.writeFile(part)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
      await syncFolder(dirname(path))
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  async *read(id: string, start = 0, end = Infinity): AsyncGenerator<Buffer> {
    let file: FileHandle
    try {
      file = await open(this.pathOf(id), 'r')
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return
      throw error
    }
    try {
      for (let position = start; position < end;) {
        const length = Math.min(pieceBytes, end - position)
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
        if (bytesRead === 0) return
        yield buffer.subarray(0, bytesRead)
        position += bytesRead
      }
    } finally {
      await file.close()
    }
  }

  async delete(id: string): Promise<void> {
    const path = this.pathOf(id)
    // A killed upload has left a draft.
    await Promise.all([path, draftOf(path)].map((file) => rm(file, { force: true })))
  }

  /** The ids of all bytes in the folder, those that are being written included. */
  async *list(): AsyncGenerator<string> {
    for (const part of await listFolder(this.#folder))
      for (const name of await listFolder(join(this.#folder, part))) yield basename(name, draftEnding)
  }

  async #createFolder(path: string): Promise<void> {
    const first = await mkdir(path, { recursive: true, mode: 0o700 })
    if (first === undefined) return
    for (const folder of [this.#folder, path]) giveToOwner(folder)
    await syncFolder(this.#folder)
    await syncFolder(dirname(this.#folder))
  }
}

const draftEnding = '.part'
const draftOf = (path: string): string => `${path}${draftEnding}`

async function listFolder(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return []
    throw error
  }
}
