import { hideSecret } from '../../lib/hide-secret.ts'
import { readResult, type ReadResult } from '../calls/read-result.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import { readPage, type ToolPage } from '../tools/read-tools.ts'

type JsonObject = Readonly<Record<string, unknown>>

export interface LargeMessage {
  /** The message as JSON, or its UTF-8 bytes. */
  readonly data: string | Uint8Array<ArrayBuffer>
  /** The secret that the request was sent with, which is removed from the message. */
  readonly secret: string | undefined
  /** The methods of the pending requests for lists and calls, by their ids. */
  readonly methods: ReadonlyMap<unknown, string>
  /** The connector's address, which is part of the fingerprints of its tools. */
  readonly url: string
  readonly limits: ConnectorLimits
}

/** What a large message consists of, in a form that is cheap to pass between threads. */
export type ReadMessage =
  /** `message` is the JSON of the message with an empty result; `id` is the id of its request. */
  | { readonly kind: 'page'; readonly id: unknown; readonly message: string; readonly page: ToolPage }
  | { readonly kind: 'result'; readonly id: unknown; readonly message: string; readonly result: ReadResult }
  /** Another message, without the text that the product does not use. */
  | { readonly kind: 'other'; readonly message: string }
  /** A notification; none that matters is large. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'refused'; readonly reason: 'invalid' | 'too_large' }

/**
 * Bytes, or characters of an event, up to which the main thread parses a message itself, which takes a few milliseconds
 * at most.
 */
export const maxDirectBytes = 32 * 1_024
/** Characters of an error message that are kept. */
const maxErrorChars = 2_000

/** Reads a message that would block the event loop for too long. Runs in the thread of `message-worker.ts`. */
export async function readLargeMessage({
  data,
  secret,
  methods,
  url,
  limits,
}: LargeMessage): Promise<ReadMessage> {
  const text = typeof data === 'string' ? data : new TextDecoder().decode(data)
  const message = parse(hideSecret(text, secret))
  if (message === undefined) return { kind: 'refused', reason: 'invalid' }
  const { id, result, error } = message
  if (isObject(result)) {
    const method = methods.get(id)
    if (method === 'tools/list') {
      const listed: readonly unknown[] = Array.isArray(result['tools']) ? result['tools'] : []
      const emptied = formatResponse(id, { ...pickPageFields(result), tools: [] })
      return { kind: 'page', id, message: emptied, page: readPage(listed, url, limits) }
    }
    if (method === 'tools/call' && result['resultType'] !== 'input_required') {
      const emptied = formatResponse(id, { ...pickResultType(result), content: [] })
      return { kind: 'result', id, message: emptied, result: await readResult(result, limits) }
    }
    // Another result, such as that of the first request, whose instructions are not used.
    return passOnIfSmall(formatResponse(id, { ...result, instructions: undefined }))
  }
  if (isObject(error)) {
    const { code } = error
    const text = typeof error['message'] === 'string' ? error['message'].slice(0, maxErrorChars) : ''
    return passOnIfSmall(
      JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text.toWellFormed() } }),
    )
  }
  return id === undefined ? { kind: 'ignored' } : { kind: 'refused', reason: 'too_large' }
}

/** Returns the fields of a page that the SDK needs besides the tools. */
export function pickPageFields({ resultType, nextCursor, ttlMs, cacheScope }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries({ resultType, nextCursor, ttlMs, cacheScope }).filter(([, value]) => value !== undefined),
  )
}

/** Returns the field of a call's result that the SDK needs besides the content. */
export function pickResultType(result: JsonObject): JsonObject {
  return 'resultType' in result ? { resultType: result['resultType'] } : {}
}

function formatResponse(id: unknown, result: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

/** Refuses a message that is still too large for the main thread. */
function passOnIfSmall(message: string): ReadMessage {
  return Buffer.byteLength(message) > maxDirectBytes
    ? { kind: 'refused', reason: 'too_large' }
    : { kind: 'other', message }
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
