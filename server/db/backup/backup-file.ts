import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import type { AppError } from '../../lib/app-error.ts'
import { errorCode } from '../../lib/describe-error.ts'
import { parseJson } from '../../lib/json-object.ts'
import { syncFolder } from '../data-folder.ts'
import { refusal } from './refuse.ts'
import {
  ContentWriter,
  isValue,
  maxChunkRows,
  minChunkChars,
  type Chunk,
  type Content,
  type Row,
} from './rows.ts'

/*
 * A backup is a gzip file of JSON lines: the header, the rows of every table (`rows.ts`), and at the end the number of
 * rows and the hash of all lines between. docs/decisions/migrations-and-backups.md has the reasons.
 */

const format = 2

export interface Header {
  readonly format: typeof format
  /** The version of Yonder that wrote the backup. */
  readonly version: string
  /** The number of migrations that the database had. */
  readonly migrations: number
  readonly database: 'sqlite' | 'postgres'
  /** ISO 8601. */
  readonly createdAt: string
  /** The key of the installation, when the operator wanted it in the backup. */
  readonly secretKey?: string | undefined
}

const HeaderLine = z.object({ yonderBackup: z.object({ format: z.number().int() }).loose() })
const Header = z.object({
  format: z.literal(format),
  // Commands print it, so it must not contain control characters.
  version: z.string().regex(/^[\w.+-]{1,100}$/),
  migrations: z.number().int().min(1),
  database: z.enum(['sqlite', 'postgres']),
  createdAt: z.iso.datetime(),
  secretKey: z.string().optional(),
})
const TableLine = z.object({ table: z.string(), columns: z.array(z.string()) })
const EndLine = z.object({ end: z.object({ rows: z.record(z.string(), z.number()), sha256: z.string() }) })

const gzipLevel = 6
const bufferBytes = 256 * 1024

export interface WrittenBackup extends Content {
  readonly bytes: number
}

/**
 * Writes a backup that only its owner can read: first to a file beside `path`, which is then renamed to `path`. When
 * writing fails, an existing file at `path` stays as it was.
 * @throws the reason of the signal when it is aborted
 */
export async function writeBackupFile(
  path: string,
  header: Omit<Header, 'format'>,
  chunks: AsyncIterable<Chunk>,
  signal: AbortSignal,
): Promise<WrittenBackup> {
  const writer = new ContentWriter()
  let content: Content | undefined
  const lines = async function* (): AsyncGenerator<string> {
    yield `${JSON.stringify({ yonderBackup: { format, ...header } })}\n`
    for await (const chunk of chunks) yield writer.add(chunk)
    content = writer.finish()
    yield `${JSON.stringify({ end: content })}\n`
  }
  const draft = `${path}.${randomBytes(6).toString('hex')}.part`
  try {
    await pipeline(
      lines,
      createGzip({ level: gzipLevel, chunkSize: bufferBytes }),
      createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
      { signal },
    )
    if (content === undefined) throw new Error('The backup has no end.')
    const { size: bytes } = await stat(draft)
    await rename(draft, path)
    await syncFolder(dirname(path))
    return { ...content, bytes }
  } catch (error) {
    await rm(draft, { force: true })
    signal.throwIfAborted()
    throw error
  }
}

/**
 * Reads the first line.
 * @throws AppError when the file is not a backup, is damaged, or has another format
 */
export async function readHeader(path: string): Promise<Header> {
  for await (const line of readLines(path)) return parseHeader(path, line)
  throw notABackup(path)
}

/**
 * Reads the rows, and checks the whole file meanwhile.
 * @throws AppError when the file is not complete or was changed, which may be found out only at its end
 */
export async function* readChunks(path: string): AsyncGenerator<Chunk, Content> {
  const lines = readLines(path)
  parseHeader(path, (await lines.next()).value ?? '')
  const writer = new ContentWriter()
  let chunk: { table: string; columns: readonly string[]; rows: Row[]; chars: number } | undefined
  for await (const line of lines) {
    if (line.startsWith('[') && chunk !== undefined) {
      chunk.rows.push(parseRow(path, line, chunk.columns))
      chunk.chars += line.length
      if (chunk.rows.length < maxChunkRows && chunk.chars < minChunkChars) continue
      writer.add(chunk)
      yield chunk
      chunk = { ...chunk, rows: [], chars: 0 }
      continue
    }
    if (chunk !== undefined) {
      writer.add(chunk)
      yield chunk
    }
    const value = parseJson(line)
    const table = TableLine.safeParse(value)
    if (table.success) {
      chunk = { ...table.data, rows: [], chars: 0 }
      continue
    }
    const content = writer.finish()
    if (EndLine.safeParse(value).data?.end.sha256 !== content.sha256) throw damaged(path, 'it was changed')
    if ((await lines.next()).done !== true) throw damaged(path, 'it continues after its end')
    return content
  }
  throw damaged(path, 'its end is missing')
}

function parseHeader(path: string, line: string): Header {
  const found = HeaderLine.safeParse(parseJson(line)).data?.yonderBackup
  if (found === undefined) throw notABackup(path)
  if (found.format !== format) {
    const age = found.format > format ? 'a newer version of Yonder' : 'a version of Yonder before 0.1.0'
    throw refusal(`The backup ${path} is from ${age}. Restore it with that version.`)
  }
  const header = Header.safeParse(found)
  if (!header.success) throw damaged(path, 'its first line is wrong')
  return header.data
}

function parseRow(path: string, line: string, columns: readonly string[]): Row {
  const value = parseJson(line)
  if (!Array.isArray(value) || value.length !== columns.length || !value.every(isValue))
    throw damaged(path, 'a row is wrong')
  return value
}

const notABackup = (path: string): AppError => refusal(`${path} is not a backup of Yonder.`)

const damaged = (path: string, reason: string): AppError =>
  refusal(`The backup ${path} is damaged: ${reason}. Nothing was restored. Use another backup.`)

/** Below the maximum length of a string in Node, which is 536 million characters. */
const maxLineBytes = 400_000_000
const newline = 0x0a

/** Reads the lines of a gzip file. `node:readline` would also split at U+2028 and U+2029, which JSON may contain. */
async function* readLines(path: string): AsyncGenerator<string, undefined> {
  const gunzip = createGunzip({ chunkSize: bufferBytes })
  // The loop below throws the same error.
  pipeline(createReadStream(path), gunzip).catch(() => undefined)
  let parts: Buffer[] = []
  let bytes = 0
  let isFirst = true
  try {
    for await (const part of gunzip as AsyncIterable<Buffer>) {
      parts.push(part)
      bytes += part.length
      const last = part.lastIndexOf(newline)
      if (last === -1) {
        if (bytes > maxLineBytes) throw damaged(path, 'a line is too long')
        continue
      }
      const rest = part.subarray(last + 1)
      const text = Buffer.concat(parts, bytes - rest.length).toString()
      parts = [rest]
      bytes = rest.length
      isFirst = false
      yield* text.slice(0, -1).split('\n')
    }
  } catch (error) {
    if (!errorCode(error).startsWith('Z_')) throw error
    throw isFirst ? notABackup(path) : damaged(path, 'it is not complete, or was changed')
  }
  if (bytes > 0) throw isFirst ? notABackup(path) : damaged(path, 'it is not complete')
}
