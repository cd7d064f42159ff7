import { Readable } from 'node:stream'
import { isPicture } from '@yonder/contract/lib/file-limits'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { FileBytes } from '../db/files/file-bytes.ts'
import type { FileTable } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'

/** The response of a route that sends the bytes of a file. */
const anyBytes = { content: { '*/*': { schema: z.unknown() } } }
export const fileResponse = { 200: anyBytes, 206: anyBytes }

/**
 * Sends the bytes of a file, or the range of them that is requested. Whatever is in them, the browser runs nothing: the
 * type is of the content, and only pictures that were checked are shown and not saved.
 * @throws AppError `not_found` when the bytes are gone
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: Pick<FileTable, 'id' | 'name' | 'type' | 'size' | 'width'>,
  bytes: FileBytes,
): Promise<FastifyReply> {
  const { id, name, type, size } = file
  const etag = `"${id}"`
  const isShown = isPicture(type) && file.width !== null
  reply.headers({
    'content-type': type,
    'content-disposition': `${isShown ? 'inline' : 'attachment'}; ${nameParameter(name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    // The bytes of an id never change. Without it, browsers begin a large download again when the connection was lost.
    etag,
  })
  const { range, 'if-range': expected = etag } = request.headers
  const { start, end } = readRange(expected === etag ? range : undefined, size)
  const pieces = bytes.read(id, start, end)[Symbol.asyncIterator]()
  const first = await pieces.next()
  if (first.done === true) throw noSuchFile()
  reply.header('content-length', end - start)
  if (end - start < size) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`)
  return reply.send(Readable.from(startWith(first.value, pieces), { objectMode: false }))
}

export function noSuchFile(): AppError {
  return new AppError('not_found', 'There is no such file. It may have been deleted.')
}

async function* startWith(first: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value
  } finally {
    await pieces.return?.()
  }
}

interface Range {
  readonly start: number
  /** The position after the last byte. */
  readonly end: number
}

/** Reads a header with one range. Others, and those that have no byte of the file, are ignored, as RFC 9110 allows. */
function readRange(header: string | undefined, size: number): Range {
  const whole = { start: 0, end: size }
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (from === '' && (to === '' || Number(to) === 0)) return whole
  if (from === '') return { start: Math.max(0, size - Number(to)), end: size }
  const start = Number(from)
  const end = to === '' ? size : Math.min(size, Number(to) + 1)
  return start < end ? { start, end } : whole
}

/** The name of a file in the header `content-disposition`. It must have no halves of surrogate pairs. */
export function nameParameter(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename*=UTF-8''${encoded}`
}
