import { Readable } from 'node:stream'
import type { FastifyReply, FastifySerializerCompiler, onSendAsyncHookHandler } from 'fastify'
import { ResponseSerializationError } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { $ZodType, $ZodTypes } from 'zod/v4/core'
import { EventLoopTurns } from '../lib/event-loop-turns.ts'

/** Characters of an answer that are prepared without yielding to the event loop, and sent at once. */
const maxPieceChars = 65_536

/** A list that is read while the answer with it is sent. */
class Pages<Item> {
  readonly pages: AsyncIterable<readonly Item[]>

  constructor(pages: AsyncIterable<readonly Item[]>) {
    this.pages = pages
  }
}

/**
 * Returns a list, or a part of an answer with a list, that a route may respond with before the list is read. Its pages
 * are read one by one as the client receives them, so that an answer of any size needs the memory of one page. Only
 * the serializer can read such a list, whatever its type says.
 */
export function readInPages<Item>(pages: AsyncIterable<readonly Item[]>): Item[] {
  return new Pages(pages) as unknown as Item[]
}

/** As `readInPages`, for a text that a route sends. */
export function textInPages(pages: AsyncIterable<string>): string {
  return Readable.from(pages, { objectMode: false }) as unknown as string
}

/** Sends JSON that was written from the schema of the route before. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** All large answers of a process take turns, so that together they delay a small one by one piece. */
const turns = new EventLoopTurns()

/**
 * Writes the answer of a route as JSON by its zod schema: a small one at once, a large one piece by piece, as the
 * client receives it. The bytes are the same.
 */
export const serializerCompiler: FastifySerializerCompiler<
  z.ZodType | { readonly properties: z.ZodType }
> = ({ schema: declared, method, url }) => {
  const schema = declared instanceof z.ZodType ? declared : declared.properties
  const stringify = (of: $ZodType, value: unknown): string => {
    const { success, data, error } = z.safeEncode(of, value)
    if (!success) throw new ResponseSerializationError(method, url, { cause: error })
    return JSON.stringify(data)
  }
  return (answer: unknown) => {
    if (!isLarge(answer)) return stringify(schema, answer)
    // Fastify sends a stream that a serializer returns, although its type is a text.
    return Readable.from(joinPieces(writeJson(schema, answer, stringify)), {
      objectMode: false,
    }) as unknown as string
  }
}

type Stringify = (schema: $ZodType, value: unknown) => string

/** Writes a value in parts that are each small, except for a single long text. */
async function* writeJson(schema: $ZodType, value: unknown, stringify: Stringify): AsyncGenerator<string> {
  const {
    _zod: { def },
  } = schema as $ZodTypes
  if (!isLarge(value)) yield stringify(schema, value)
  else if (def.type === 'optional' || def.type === 'nullable')
    yield* writeJson(def.innerType, value, stringify)
  else if (def.type === 'array' && value instanceof Pages) {
    let separator = '['
    for await (const page of value.pages as AsyncIterable<readonly unknown[]>) {
      for (const item of page) {
        yield separator
        yield* writeJson(def.element, item, stringify)
        separator = ','
      }
    }
    yield separator === '[' ? '[]' : ']'
  } else if (def.type === 'array' && Array.isArray(value)) {
    let separator = '['
    for (const item of value) {
      yield separator
      yield* writeJson(def.element, item, stringify)
      separator = ','
    }
    yield ']'
  } else if (def.type === 'object' && typeof value === 'object' && value !== null) {
    let separator = '{'
    for (const [key, of] of Object.entries(def.shape)) {
      const field = (value as Readonly<Record<string, unknown>>)[key]
      if (field === undefined) {
        // An optional field is absent. The lack of any other is an error.
        stringify(of, field)
        continue
      }
      yield `${separator}${JSON.stringify(key)}:`
      yield* writeJson(of, field, stringify)
      separator = ','
    }
    yield separator === '{' ? '{}' : '}'
  } else yield stringify(schema, value)
}

/** Sends a large text or file in pieces too, which routes respond with as a whole. */
export const sendInPieces: onSendAsyncHookHandler = async (_request, reply, payload) => {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
  if (payload.length <= maxPieceChars) return payload
  if (typeof payload === 'string') return Readable.from(joinPieces([payload]), { objectMode: false })
  reply.header('content-length', payload.length)
  return Readable.from(slice(payload), { objectMode: false })
}

async function* slice(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += maxPieceChars) {
    yield bytes.subarray(at, at + maxPieceChars)
    await turns.next()
  }
}

/** Joins short parts, and divides long ones, into pieces, each in a turn of the event loop of its own. */
async function* joinPieces(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Buffer> {
  let piece = ''
  for await (const part of parts) {
    piece += part
    while (piece.length >= maxPieceChars) {
      const end = endOfPiece(piece)
      yield Buffer.from(piece.slice(0, end))
      piece = piece.slice(end)
      await turns.next()
    }
  }
  if (piece !== '') yield Buffer.from(piece)
}

/** The largest end of a piece that divides no surrogate pair. */
function endOfPiece(text: string): number {
  const last = text.charCodeAt(maxPieceChars - 1)
  return last >= 0xd8_00 && last <= 0xdb_ff ? maxPieceChars - 1 : maxPieceChars
}

/** Whether a value has, as JSON, more characters than a piece, or a list that is not read yet. */
function isLarge(value: unknown): boolean {
  let left = maxPieceChars
  const count = (item: unknown): boolean => {
    if (typeof item === 'string') left -= item.length
    else if (Array.isArray(item)) return item.some(count)
    else if (item instanceof Pages) left = 0
    else if (typeof item === 'object' && item !== null) {
      for (const key in item) {
        left -= key.length
        if (count((item as Readonly<Record<string, unknown>>)[key])) return true
      }
    }
    left -= 4
    return left <= 0
  }
  return count(value)
}
