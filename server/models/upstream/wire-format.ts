import { parseJson, parseWithSource } from '../../lib/json-object.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelRequest } from '../model.ts'
import type { ReplyParts } from '../reply-parts.ts'
import { leaveOut } from './optional-fields.ts'
import { postModelCall, type CallTarget, type Progress } from './post-model-call.ts'
import { createBodyReader } from './read-events.ts'
import type { Attempt, Dialect, ReplyFormat } from './stream-reply.ts'

/** A wire format that needs no package of its provider. */
export interface WireFormat<Own extends Dialect> extends Omit<ReplyFormat<Own>, 'call'> {
  /** The body of a request. It contains only the notes of calls whose source is `source` (see `CallNote`). */
  writeBody(request: ModelRequest, dialect: Own, source: string): string
  openReader(target: CallTarget, parts: ReplyParts): ReplyReader
}

/** Converts the events of one wire format to parts. */
export interface ReplyReader {
  /** True once an event reported the end of the reply. */
  readonly finished: boolean
  /** Whether the end marker ends a reply in which no event reported its end. */
  readonly endsWithMarker: boolean
  /**
   * Reads one event of a stream, or a complete response.
   * @throws ModelFailure
   */
  read(event: unknown, name: string): void
  /** Ends the reply: adds the tool calls, the usage and `finish`. */
  end(): void
}

/** How models are called in a wire format. */
export function ofWireFormat<Own extends Dialect>(format: WireFormat<Own>): ReplyFormat<Own> {
  return { ...format, call: (attempt) => callInFormat(format, attempt) }
}

async function callInFormat<Own extends Dialect>(
  format: WireFormat<Own>,
  { target, guard, limits, request, dialect, parts, signal, onReadable, onWhole, onSent }: Attempt<Own>,
): Promise<void> {
  const { key } = target.confidential
  const headers = { accept: 'text/event-stream', ...(key !== null && { authorization: `Bearer ${key}` }) }
  const body = leaveOut(format.writeBody(request, dialect, target.source), dialect.leftOut)
  const reader = format.openReader(target, parts)
  const response = createResponseReader(target, limits.maxEventChars, reader, onWhole)
  const call = postModelCall(
    { ...target, headers, body },
    { dispatcher: guard.dispatcher, limits, signal, onData: response.push, onReadable },
  )
  onSent(body, call)
  await call.ended
  response.end()
}

/** Creates a reader of a response. `onWhole` is called when the body is JSON instead of an event stream. */
function createResponseReader(
  target: CallTarget,
  maxEventChars: number,
  reply: ReplyReader,
  onWhole: () => void = () => undefined,
) {
  const { upstream } = target
  let form: 'nothing' | 'events' | 'json' = 'nothing'
  let hasEndMarker = false

  const body = createBodyReader(target, maxEventChars, {
    onEvent(data, name) {
      form = 'events'
      reply.read(parse(data, upstream), name)
    },
    onEndMarker() {
      form = 'events'
      hasEndMarker = true
    },
    onJson(text) {
      form = 'json'
      onWhole()
      reply.read(parse(text, upstream), 'message')
    },
  })

  /** Ends the body. An incomplete event after the finish, such as usage, does not fail the reply. */
  function endBody(): void {
    try {
      body.end()
    } catch (error) {
      if (!reply.finished) throw error
    }
  }

  /**
   * An empty response fails. JSON that could be parsed is complete. A stream is complete when an event reported the end of
   * the reply, or after the end marker when that is enough for the wire format.
   */
  function requireComplete(): void {
    if (form === 'nothing')
      throw new ModelFailure('upstream_invalid', `${upstream} sent an empty response. Try again.`)
    if (form === 'json' || reply.finished || (hasEndMarker && reply.endsWithMarker)) return
    throw new ModelFailure(
      'upstream_cut',
      `${upstream} closed the connection before its reply was complete. Try again.`,
    )
  }

  return {
    push(chunk: Buffer): Progress {
      body.push(chunk)
      if (hasEndMarker) return 'done'
      return reply.finished ? 'finishing' : 'more'
    },
    /**
     * Must be called when the connection has ended or no more data is expected.
     * @throws ModelFailure
     */
    end(): void {
      if (!hasEndMarker) endBody()
      requireComplete()
      reply.end()
    },
  }
}

/** Some servers send the arguments of a call as an object, which is read as its text: a parser would change it. */
const objectArguments = /"arguments"\s*:\s*\{/

function parse(text: string, upstream: string): unknown {
  const value = objectArguments.test(text) ? parseWithSource(text, 'arguments') : parseJson(text)
  if (value !== undefined) return value
  throw new ModelFailure(
    'upstream_invalid',
    `${upstream} sent invalid JSON. Try again, or check the address.`,
  )
}
