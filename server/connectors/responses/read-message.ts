import { hideSecrets } from '../../lib/hide-secret.ts'
import { isObject, parseJsonAsWritten, toList, type JsonObject } from '../../lib/json-object.ts'
import { readResult, type ReadResult } from '../calls/read-result.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import { readPage, type ToolPage } from '../tools/read-tools.ts'
import { closeJson } from './close-json.ts'
import { isParsable } from './is-parsable.ts'
import { repairMessage } from './repair-message.ts'

export interface ReceivedMessage {
  /** The message as JSON, or its UTF-8 bytes. */
  readonly data: string | Uint8Array<ArrayBuffer>
  /** The secrets that the request was sent with, which are removed from the message. */
  readonly secrets: readonly string[]
  /** The methods of the pending requests, by their ids as text. */
  readonly methods: ReadonlyMap<string, string>
  /** The connector's address, which is part of the fingerprints of its tools. */
  readonly url: string
  readonly limits: ConnectorLimits
  /** The request whose response this is, as far as it was read before it became too large. */
  readonly cutFor?: string | undefined
}

/** What a message consists of, in a form that is cheap to pass between threads. */
export interface ReadMessage {
  /** The JSON for the SDK: the message with an empty page or result. Empty for a message that is left out. */
  readonly message: string
  /** The ids, as text, of the requests that the message responds to. Several only in a batch. */
  readonly answered: readonly string[]
  readonly page?: ToolPage
  readonly result?: ReadResult
  /** The request with which the server elicits: its id, as text, and its parameters. */
  readonly elicitation?: { readonly id: string; readonly params: unknown }
  /** A small result that requests input, whose numbers the SDK would change. */
  readonly inputs?: JsonObject
  /** Why the message is refused. */
  readonly refusal?: 'invalid' | 'too_large'
}

/**
 * Bytes, or characters of an event, up to which the main thread reads a message itself, which takes a few milliseconds
 * at most.
 */
export const maxDirectBytes = 32 * 1_024
/** Characters of an error message that are kept. */
const maxErrorChars = 2_000

/**
 * Takes a page of tools or the result of a call out of a message, because the SDK rejects a whole result for one invalid
 * part, and we read it part by part. A large message is read in the thread of `message-worker.ts`, and the SDK gets only
 * what it needs of it. Other small messages are only repaired.
 */
export function readMessage({ data, secrets, methods, url, limits, cutFor }: ReceivedMessage): ReadMessage {
  const isSmall = data.length <= maxDirectBytes
  if (!isParsable(data)) return refuse('too_large')
  const text = hideSecrets(typeof data === 'string' ? data : new TextDecoder().decode(data), secrets)
  const received = parseJsonAsWritten(cutFor === undefined ? text : closeJson(text))
  // The id may come after what was cut off.
  const parsed = cutFor !== undefined && isObject(received) ? { ...received, id: Number(cutFor) } : received
  if (!isObject(parsed)) {
    // The SDK reports what is no message.
    const answered = Array.isArray(parsed) ? parsed.flatMap(listAnswered) : []
    return isSmall ? { message: text, answered } : refuse('invalid')
  }
  const value = repairMessage(parsed, methods)
  const answered = listAnswered(value)
  const { id, result, error } = value
  const respond = (rest: JsonObject) => JSON.stringify({ jsonrpc: '2.0', id, ...rest })
  if (isObject(result)) {
    const { resultType, nextCursor, ttlMs, cacheScope } = result
    const method = methods.get(String(id))
    if (method === 'tools/list') {
      const tools = toList(result['tools']) ?? []
      const message = respond({ result: { resultType, nextCursor, ttlMs, cacheScope, tools: [] } })
      return { message, answered, page: readPage(tools, url, limits) }
    }
    if (method === 'tools/call' && resultType !== 'input_required') {
      const message = respond({ result: { resultType, content: [] } })
      return { message, answered, result: readResult(result, limits, cutFor !== undefined) }
    }
  }
  if (cutFor !== undefined && !isObject(error)) return refuse('too_large')
  if (isSmall && cutFor === undefined) {
    const elicits = value['method'] === 'elicitation/create'
    return {
      message: JSON.stringify(isObject(error) ? { ...value, error: writeData(error) } : value),
      answered,
      ...(elicits && { elicitation: { id: String(id), params: value['params'] } }),
      ...(isObject(result) && result['resultType'] === 'input_required' && { inputs: result }),
    }
  }
  // Of other large results, such as that of the first request, the instructions are not used.
  if (isObject(result)) return passOn(respond({ result: { ...result, instructions: undefined } }), answered)
  if (isObject(error)) {
    const words = typeof error['message'] === 'string' ? error['message'].slice(0, maxErrorChars) : ''
    const data = JSON.stringify(error['data'])?.slice(0, maxErrorChars)
    const message = respond({ error: { code: error['code'], message: words.toWellFormed(), data } })
    return passOn(message, answered)
  }
  // No notification that matters is large.
  return id === undefined ? { message: '', answered } : refuse('too_large')
}

/** The SDK would change numbers in the data of an error, which the model reads, so such data is passed on as text. */
function writeData(error: JsonObject): JsonObject {
  const text = JSON.stringify(error['data'])
  const isChanged = text !== undefined && JSON.stringify(JSON.parse(text)) !== text
  return isChanged ? { ...error, data: text } : error
}

/** Refuses a message that is still too large for the main thread. */
function passOn(message: string, answered: readonly string[]): ReadMessage {
  return Buffer.byteLength(message) > maxDirectBytes ? refuse('too_large') : { message, answered }
}

function refuse(refusal: 'invalid' | 'too_large'): ReadMessage {
  return { message: '', answered: [], refusal }
}

/** Servers may return the number of an id as text, which the SDK accepts. A response with an error is one too. */
function listAnswered(message: unknown): string[] {
  const isResponse = isObject(message) && ('result' in message || 'error' in message)
  return isResponse ? [String(message['id'])] : []
}
