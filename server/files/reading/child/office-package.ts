import { posix } from 'node:path'
import { TextDecoder } from 'node:util'
import { Parser } from 'htmlparser2'
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { UnreadableError } from './problems.ts'

const maxEntries = 1_000
/** Of all files together, unpacked. */
const maxUnpackedBytes = 200 * 1024 * 1024

/** What `walk` calls for the elements of an XML file. Names are without prefix, of elements and of attributes. */
export interface XmlVisitor {
  readonly open?: (name: string, attributes: Attributes) => void
  readonly close?: (name: string) => void
  readonly text?: (text: string) => void
}

export type Attributes = Readonly<Record<string, string>>

/** A reference of one file of a package to another. */
export interface Relationship {
  /** The last segment of its type, such as `notesSlide`. */
  readonly type: string
  /** The path of the file in the package. */
  readonly path: string
}

/** Reads only the directory of the ZIP file, and refuses one that says that it is too large. */
export async function openPackage(bytes: Buffer): Promise<OfficePackage> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true })
  if (zip.entryCount > maxEntries) throw new UnreadableError('tooManyEntries')
  const entries = new Map<string, Entry>()
  let size = 0
  for await (const entry of zip.eachEntry()) {
    size += entry.uncompressedSize
    if (size > maxUnpackedBytes) throw new UnreadableError('tooLargeUnpacked')
    const path = entry.fileName.toLowerCase()
    if (!entries.has(path)) entries.set(path, entry)
  }
  return new OfficePackage(zip, entries)
}

/** An Office document: a ZIP file of XML files that refer to each other. */
export class OfficePackage {
  readonly #zip: ZipFile
  /** By path in lower case: upper and lower case count as equal. */
  readonly #entries: ReadonlyMap<string, Entry>
  #unpackedBytes = 0

  constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  has(path: string): boolean {
    return this.#entries.has(path.toLowerCase())
  }

  /** Returns the path of the main file of the document. Throws when there is none. */
  async findMain(): Promise<string> {
    const relationships = await this.relationships('')
    const main = [...relationships.values()].find(({ type }) => type === 'officeDocument')
    if (main === undefined || !this.has(main.path)) throw new UnreadableError('damaged')
    return main.path
  }

  /** Returns what a file refers to, by the ids that it uses. An empty path stands for the package. */
  async relationships(path: string): Promise<ReadonlyMap<string, Relationship>> {
    const folder = posix.dirname(path)
    const found = new Map<string, Relationship>()
    await this.walk(posix.join(folder, '_rels', `${posix.basename(path)}.rels`), {
      open(name, { Id, Type, Target, TargetMode }) {
        if (name !== 'Relationship' || Id === undefined || Target === undefined) return
        if (TargetMode === 'External') return
        // Joined below the root of the package, so that no path leads out of it.
        const target = posix.join('/', Target.startsWith('/') ? '' : folder, Target).slice(1)
        found.set(Id, { type: posix.basename(Type ?? ''), path: target })
      },
    })
    return found
  }

  /**
   * Reads an XML file of the package, piece by piece. A file that is missing has no elements. Entities that the file
   * itself defines are not expanded, and external ones are not read. Ends early once `isDone` says so.
   */
  async walk(path: string, visitor: XmlVisitor, isDone?: () => boolean): Promise<void> {
    const entry = this.#entries.get(path.toLowerCase())
    if (entry === undefined) return
    const parser = new Parser(
      {
        onopentag: (name, attributes) => visitor.open?.(withoutPrefix(name), withoutPrefixes(attributes)),
        onclosetag: (name) => visitor.close?.(withoutPrefix(name)),
        ontext: (text) => visitor.text?.(text),
      },
      { xmlMode: true },
    )
    let decoder: TextDecoder | undefined
    for await (const chunk of (await this.#zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      this.#unpackedBytes += chunk.length
      // A ZIP file can use the same data for many entries.
      if (this.#unpackedBytes > maxUnpackedBytes) throw new UnreadableError('tooLargeUnpacked')
      decoder ??= new TextDecoder(encodingOf(chunk))
      parser.write(decoder.decode(chunk, { stream: true }))
      if (isDone?.() === true) return
    }
    parser.end()
  }
}

/** XML is UTF-8 or UTF-16. */
function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8'
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Of `id` and `r:id` in one element, the one with a prefix counts: it refers to another file. */
function withoutPrefixes(attributes: Attributes): Attributes {
  const prefixed = Object.keys(attributes).filter((name) => name.includes(':'))
  if (prefixed.length === 0) return attributes
  return {
    ...attributes,
    ...Object.fromEntries(prefixed.map((name) => [withoutPrefix(name), attributes[name] ?? ''])),
  }
}
