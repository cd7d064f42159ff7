import { createHash } from 'node:crypto'
import type { FileRef } from '@yonder/contract/message'
import { type Actor, ownedBy } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { collectBytes, oneBuffer } from '../db/files/file-bytes.ts'
import type { FileTable, FileTextRow } from '../db/tables/tables.ts'
import { isEnabled, lockUser } from '../identity/users/user-store.ts'
import { AppError } from '../lib/app-error.ts'
import { estimateTokens } from '../lib/estimate-tokens.ts'
import { formatMegabytes } from '../lib/format-megabytes.ts'
import { newId } from '../lib/new-id.ts'
import { cleanFileName } from './file-name.ts'
import {
  countUsedBytes,
  forgetBytes,
  insertFile,
  insertTexts,
  keepSameFile,
  noteBytes,
  releaseBytes,
  replaceProblem,
} from './file-store.ts'
import type { FileReader } from './reading/open-file-reader.ts'
import type { ReadDocument } from './reading/read-outcome.ts'
import { pictureHeadBytes, readPicture } from './reading/read-picture.ts'
import {
  audioProblem,
  isPictureKind,
  sniffedBytes,
  sniffKind,
  type SniffedFile,
} from './reading/sniff-kind.ts'

export interface FileDeps {
  readonly database: Database
  readonly reader: FileReader
  readonly limits: FileLimits
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** In bytes. */
export interface FileLimits {
  readonly maxFile: number
  /** Of all files of a user. */
  readonly quota: number
}

export interface NewFile {
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
  /** Whether only pictures and documents that can be read are taken, or everything, such as sound from a tool. */
  readonly accepts: 'readable' | 'everything'
}

/**
 * Stores a file of a user, and reads its text or its size. The same bytes are stored once, and give the same row. When
 * this resolves, the bytes and the row are durable; before that, nobody can see the file, and what a killed process
 * leaves is deleted later.
 * @throws AppError `payload_too_large`, `storage_full` (the user's quota), `unsupported_media_type`, `invalid_request`
 */
export async function storeFile(
  deps: FileDeps,
  actor: Actor,
  { name, bytes, accepts }: NewFile,
  signal: AbortSignal = new AbortController().signal,
): Promise<FileTable> {
  const { database, limits, now } = deps
  const { db } = database
  const free = limits.quota - (await countUsedBytes(db, actor.id))
  if (free <= 0) throw quotaReached(limits)
  const intake = new Intake(limits, free, (head, size) => {
    const sniffed = sniffKind(head, size, name)
    if (accepts === 'readable' && ('problem' in sniffed || sniffed.kind === 'audio'))
      throw new AppError('unsupported_media_type', 'problem' in sniffed ? sniffed.problem : audioProblem)
    if (!('problem' in sniffed)) return sniffed
    return { kind: 'other', mediaType: 'application/octet-stream' }
  })
  const id = newId()
  await noteBytes(db, id, now())
  try {
    await database.bytes.write(id, intake.pass(bytes))
    const hash = intake.hash.digest('hex')
    const same = await keepSameFile(db, actor, hash, now())
    if (same !== undefined) {
      // The user has these bytes already.
      await discardBytes(database, id)
      return await readAgain(deps, actor, same, { kind: intake.kind, accepts, signal })
    }
    const read = await readContent(deps, actor, { id, kind: intake.kind, accepts, signal })
    if (read.instead !== undefined) {
      await discardBytes(deps.database, id)
      return await storeFile(deps, actor, { name, bytes: oneBuffer(read.instead), accepts }, signal)
    }
    const file: FileTable = {
      id,
      ...ownedBy(actor),
      hash,
      name: cleanFileName(name, intake.kind.mediaType),
      type: intake.kind.mediaType,
      size: intake.size,
      ...read.columns,
      unsent_since: now(),
    }
    return await commit(deps, actor, file, read.texts)
  } catch (error) {
    await discardBytes(deps.database, id)
    throw error
  }
}

/** Makes the file visible. The same file may have been uploaded at the same time. */
async function commit(
  deps: FileDeps,
  actor: Actor,
  file: FileTable,
  texts: readonly FileTextRow[],
): Promise<FileTable> {
  const { limits } = deps
  const { db, dialect } = deps.database
  try {
    await db.transaction().execute(async (trx) => {
      // Uploads at once have each seen the same free space.
      await lockUser(trx, actor)
      // Afterwards, the files of a deleted user are looked for once.
      if (!(await isEnabled(trx, actor))) throw new AppError('unauthenticated', 'Your account is disabled.')
      if ((await countUsedBytes(trx, actor.id)) + file.size > limits.quota) throw quotaReached(limits)
      await insertFile(trx, file)
      await insertTexts(trx, texts)
      await forgetBytes(trx, file.id)
    })
    return file
  } catch (error) {
    if (!dialect.isUniqueViolation(error)) throw error
    const same = await keepSameFile(db, actor, file.hash ?? '', deps.now())
    if (same === undefined) throw error
    await discardBytes(deps.database, file.id)
    return same
  }
}

/** Reads a file again whose text could not be read: the reason may have been the machine. */
async function readAgain(
  deps: FileDeps,
  actor: Actor,
  file: FileTable,
  content: Omit<ContentToRead, 'id'>,
): Promise<FileTable> {
  if (file.problem === null) return file
  const { columns, texts } = await readContent(deps, actor, { ...content, id: file.id })
  await deps.database.db.transaction().execute(async (trx) => {
    // Of two uploads at once, one stores the texts.
    if (await replaceProblem(trx, file, columns)) await insertTexts(trx, texts)
  })
  return { ...file, ...columns }
}

/**
 * Deletes bytes that were noted (`noteBytes`), unless a file has them: when the connection is lost, an error does not say
 * whether. What fails here is done again with the unused bytes.
 */
export async function discardBytes({ db, bytes }: Pick<Database, 'db' | 'bytes'>, id: string): Promise<void> {
  try {
    if (!(await releaseBytes(db, id))) return
    await bytes.delete(id)
    await forgetBytes(db, id)
  } catch {
    // The next pass of `removeUnused` does it.
  }
}

/** What a file is; `other` for what cannot be read, of a tool. */
type StoredKind = SniffedFile | { readonly kind: 'other'; readonly mediaType: string }

interface ContentToRead {
  readonly id: string
  readonly kind: StoredKind
  readonly accepts: NewFile['accepts']
  readonly signal: AbortSignal
}

interface ReadContent {
  readonly columns: Pick<FileTable, 'width' | 'height' | 'unit' | 'total' | 'problem'>
  readonly texts: readonly FileTextRow[]
  /** The same picture upright, smaller and without metadata, which is stored instead (`checkPicture`). */
  readonly instead?: Buffer
}

const nothingRead = { width: null, height: null, unit: null, total: null, problem: null }

async function readContent(
  { database: { bytes }, reader }: FileDeps,
  actor: Actor,
  { id, kind: { kind }, accepts, signal }: ContentToRead,
): Promise<ReadContent> {
  if (kind === 'other' || kind === 'audio') return { columns: nothingRead, texts: [] }
  if (isPictureKind(kind)) {
    const size = readPicture(kind, await collectBytes(bytes.read(id, 0, pictureHeadBytes)))
    const checked = 'problem' in size ? size : await reader.checkPicture(actor.id, bytes.read(id), signal)
    const problem = checked !== undefined && 'problem' in checked ? checked.problem : null
    if (problem !== null && accepts === 'readable') throw new AppError('unsupported_media_type', problem)
    const columns = { ...nothingRead, ...('problem' in size ? {} : size), problem }
    if (checked === undefined || !('picture' in checked)) return { columns, texts: [] }
    const { width, height, bytes: instead } = checked.picture
    return {
      columns: { ...columns, width, height },
      texts: [],
      ...(instead !== undefined && { instead }),
    }
  }
  const outcome = await reader.readText(actor.id, kind, bytes.read(id), signal)
  signal.throwIfAborted()
  if ('problem' in outcome) {
    const { problem, total = null } = outcome
    return { columns: { ...nothingRead, total, problem }, texts: [] }
  }
  const document = inLines(outcome.document)
  const { unit, total } = document
  return { columns: { ...nothingRead, unit, total }, texts: toTextRows(id, document) }
}

/** Characters of a sheet that is one part. */
const maxSheetChars = 20_000

/** Counts a workbook with a longer sheet in lines: else a model without room for all of it would be given nothing. */
function inLines(document: ReadDocument): ReadDocument {
  const { unit, parts } = document
  if (unit !== 'sheet' || parts.every((part) => part.length <= maxSheetChars)) return document
  const text = parts.join('\n\n')
  return { unit: 'line', parts: [text], total: text.split('\n').length }
}

/** Characters of a part of a text without pages. A part is given to a model as a whole or not at all. */
const maxPartChars = 4_000

function toTextRows(file_id: string, { unit, parts }: ReadDocument): readonly FileTextRow[] {
  const pieces = unit === 'line' ? parts.flatMap(cutAtLines) : parts.map((content) => ({ content, units: 1 }))
  return pieces.map(({ content, units }, number) => ({
    file_id,
    number,
    content,
    tokens: estimateTokens(content),
    units,
  }))
}

/** Cuts a text after lines, and within a line only if it is longer than a part. Counts the ends of lines of each part. */
function cutAtLines(text: string): { content: string; units: number }[] {
  const parts: { content: string; units: number }[] = []
  for (let start = 0; start < text.length;) {
    const lineEnd = text.lastIndexOf('\n', start + maxPartChars - 1) + 1
    let end =
      text.length - start <= maxPartChars ? text.length : lineEnd > start ? lineEnd : start + maxPartChars
    // Not between the halves of a character.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
    const content = text.slice(start, end)
    const lines = content.split('\n').length - 1
    parts.push({ content, units: end === text.length && !content.endsWith('\n') ? lines + 1 : lines })
    start = end
  }
  return parts
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** Counts, hashes and checks what passes, and sees of which kind it is. */
class Intake {
  readonly hash = createHash('sha256')
  size = 0
  readonly #limits: FileLimits
  readonly #free: number
  readonly #sniff: (head: Buffer, size: number) => StoredKind
  #kind: StoredKind | undefined

  /** `free` is what is left of the user's quota. `sniff` may throw to refuse what begins so. */
  constructor(limits: FileLimits, free: number, sniff: (head: Buffer, size: number) => StoredKind) {
    this.#limits = limits
    this.#free = free
    this.#sniff = sniff
  }

  /** Known after everything has passed. */
  get kind(): StoredKind {
    if (this.#kind === undefined) throw new Error('the file was not read')
    return this.#kind
  }

  async *pass(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let head = Buffer.alloc(0)
    for await (const part of source) {
      this.size += part.length
      if (this.size > this.#limits.maxFile) throw fileTooLarge(this.#limits)
      if (this.size > this.#free) throw quotaReached(this.#limits)
      this.hash.update(part)
      if (this.#kind === undefined) {
        head = Buffer.concat([head, part])
        // What is refused by its beginning is not read to its end.
        if (head.length > sniffedBytes) this.#kind = this.#sniff(head.subarray(0, sniffedBytes), Infinity)
      }
      yield part
    }
    if (this.size === 0) throw new AppError('invalid_request', 'The file is empty. Attach another one.')
    this.#kind ??= this.#sniff(head, this.size)
  }
}

export function fileTooLarge({ maxFile }: FileLimits): AppError {
  return new AppError(
    'payload_too_large',
    `The file is larger than ${formatMegabytes(maxFile)}, which is the most that can be attached here.`,
  )
}

function quotaReached({ quota }: FileLimits): AppError {
  return new AppError(
    'storage_full',
    `The file was not stored, because your files would take more than ${formatMegabytes(quota)}. Delete chats with files that you no longer need, or ask the operator of this server for more.`,
  )
}

/** The file as messages name it, under a name of its own. */
export function toFileRef({ id, name, type, size, width, height }: FileTable, own?: string): FileRef {
  return {
    id,
    name: own === undefined ? name : cleanFileName(own, type),
    type,
    size,
    ...(width !== null && height !== null && { width, height }),
  }
}
