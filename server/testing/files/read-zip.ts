import { createHash } from 'node:crypto'
import type { Chat } from '@yonder/contract/chat'
import { type Entry, fromBufferPromise } from 'yauzl'
import { collectBytes } from '../../db/files/file-bytes.ts'

/** A ZIP that a test reads, such as an export. */
export interface ReadZip {
  /** The paths of the entries, in their order. */
  readonly paths: readonly string[]
  bytesOf(path: string): Buffer
  /** Parses an entry. */
  jsonOf(path: string): unknown
  /** The chats in it. */
  readonly chats: readonly Chat[]
  /** Whether an entry is stored without compression. */
  isStored(path: string): boolean
}

/** Reads a ZIP with yauzl, which refuses paths that lead out of the folder, and checks sizes. */
export async function readZip(bytes: Buffer): Promise<ReadZip> {
  const found = new Map<string, { readonly entry: Entry; readonly content: Buffer }>()
  const zip = await fromBufferPromise(bytes, { strictFileNames: true })
  for await (const entry of zip.eachEntry()) {
    const content = await collectBytes(await zip.openReadStreamPromise(entry))
    found.set(entry.fileName, { entry, content })
  }
  const entryOf = (path: string) => {
    const entry = found.get(path)
    if (entry === undefined) throw new Error(`there is no ${path}, only ${[...found.keys()].join(', ')}`)
    return entry
  }
  const bytesOf = (path: string): Buffer => entryOf(path).content
  const jsonOf = (path: string): unknown => JSON.parse(bytesOf(path).toString('utf8'))
  const paths = [...found.keys()]
  return {
    paths,
    bytesOf,
    jsonOf,
    chats: paths.filter((path) => path.startsWith('chats/')).map((path) => jsonOf(path) as Chat),
    isStored: (path) => entryOf(path).entry.compressionMethod === 0,
  }
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
