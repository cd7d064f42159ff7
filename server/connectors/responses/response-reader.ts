import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { hideSecret, readAuthorization } from '../../lib/hide-secret.ts'
import { maxDirectBytes } from './read-large-message.ts'

/**
 * Reads a message that is too large for the main thread, and removes the secret from it; the bytes must not be used
 * afterwards. Returns the JSON that takes its place, or undefined when the message is ignored. Rejects when the message
 * is refused.
 */
export type ReadLarge = (
  data: string | Uint8Array<ArrayBuffer>,
  secret: string | undefined,
) => Promise<string | undefined>

/**
 * Wraps a fetch of MCP messages so that the SDK parses small messages only. An event stream is rewritten with one kind
 * of line end and without comments and empty events, which the SDK is slow to parse. The access token of the request is
 * removed from its response.
 */
export function readMessages(send: GuardedFetch['fetch'], readLarge: ReadLarge): GuardedFetch['fetch'] {
  return async (input, init) => {
    const response = await send(input, init)
    if (response.body === null) return response
    const secret = readAuthorization(init?.headers)
    const body = toStream(readBody(response, response.body, { readLarge, secret }))
    return new Response(body, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
}

/** Like `ReadableStream.from`, which the DOM types lack. */
function toStream(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

interface ReadOptions {
  readonly readLarge: ReadLarge
  /** The secret that the request was sent with. */
  readonly secret: string | undefined
}

function readBody(
  { ok, headers }: Response,
  body: ReadableStream<Uint8Array>,
  options: ReadOptions,
): AsyncIterable<Uint8Array> {
  const type = headers.get('content-type') ?? ''
  if (ok && type.startsWith('text/event-stream')) return readEvents(body, options)
  return ok && type.startsWith('application/json') ? readJson(body, options) : readStart(body, options)
}

async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { readLarge, secret }: ReadOptions,
): AsyncIterable<Uint8Array> {
  const events: (EventSourceMessage | { readonly retry: number })[] = []
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onRetry: (retry) => events.push({ retry }),
  })
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  for await (const piece of body) {
    parser.feed(decoder.decode(piece, { stream: true }))
    let text = ''
    for (const event of events.splice(0)) {
      if ('retry' in event) text += `retry: ${event.retry}\n\n`
      else if (event.data.length <= maxDirectBytes) text += formatEvent(event, hideSecret(event.data, secret))
      else text += formatEvent(event, (await readLarge(event.data, secret)) ?? '')
    }
    if (text !== '') yield encoder.encode(text)
  }
}

function formatEvent({ id, event }: EventSourceMessage, data: string): string {
  // Keeps other events, such as `endpoint` of HTTP+SSE. A message event that contains neither a message nor an id is
  // dropped, because the SDK is slower to reject it than to parse a message.
  const isUseful = (event !== undefined && event !== 'message') || data.includes('"jsonrpc"')
  if (!isUseful && id === undefined) return ''
  const name = event === undefined ? '' : `event: ${event}\n`
  return `${name}${id === undefined ? '' : `id: ${id}\n`}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
}

async function* readJson(
  body: ReadableStream<Uint8Array>,
  { readLarge, secret }: ReadOptions,
): AsyncIterable<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  const bytes = join(pieces)
  if (bytes.length > maxDirectBytes) yield new TextEncoder().encode((await readLarge(bytes, secret)) ?? '')
  else if (secret === undefined) yield bytes
  else yield new TextEncoder().encode(hideSecret(new TextDecoder().decode(bytes), secret))
}

/** Joins pieces in a buffer of their own, which can be passed to a thread without a copy. */
function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}

/** Returns the start of a response that is an error or not a message, in one piece. */
async function* readStart(
  body: ReadableStream<Uint8Array>,
  { secret }: ReadOptions,
): AsyncIterable<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > maxDirectBytes) break
  }
  yield new TextEncoder().encode(hideSecret(Buffer.concat(pieces).toString(), secret))
}
