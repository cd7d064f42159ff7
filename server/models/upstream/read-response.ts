import type { ModelLimits } from '../adapter.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelPart } from '../model.ts'
import type { PartQueue } from '../reply-parts.ts'
import type { ModelCall, Progress } from './post-model-call.ts'
import { createBodyReader } from './read-events.ts'

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
  /** Returns the parts of the events read since the last call; may be empty. */
  drain(): ModelPart[]
  /** Ends the reply: `drain` then also returns tool calls, usage and `finish`. */
  end(): void
}

export interface ResponseReader {
  push(chunk: Buffer): Progress
  /**
   * Must be called when the connection has ended or no more data is expected. Adds `finish` to the parts.
   * @throws ModelFailure
   */
  end(): void
}

type ResponseForm = 'nothing' | 'events' | 'json'

/**
 * Creates a reader that adds the parts of a response to `parts`. `onWhole` is called when the body is JSON instead of
 * an event stream.
 */
export function createResponseReader(
  call: ModelCall,
  limits: ModelLimits,
  parts: PartQueue,
  reply: ReplyReader,
  onWhole: () => void = () => undefined,
): ResponseReader {
  const { upstream } = call
  let form: ResponseForm = 'nothing'
  let hasEndMarker = false

  const body = createBodyReader(call, limits.maxEventChars, {
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

  /** Adds the parts also when reading fails, so that they precede the failure. */
  function readInto(read: () => void): void {
    try {
      read()
    } finally {
      parts.push(reply.drain())
    }
  }

  return {
    push(chunk) {
      readInto(() => body.push(chunk))
      if (hasEndMarker) return 'done'
      return reply.finished ? 'finishing' : 'more'
    },
    end() {
      readInto(() => {
        if (!hasEndMarker) endBody()
        requireComplete(form, reply.finished || (hasEndMarker && reply.endsWithMarker), upstream)
        reply.end()
      })
    },
  }
}

/**
 * An empty response fails. JSON that could be parsed is complete. A stream is complete when an event reported
 * the end of the reply, or after the end marker when that is enough for the wire format.
 * @throws ModelFailure
 */
function requireComplete(form: ResponseForm, finished: boolean, upstream: string): void {
  if (form === 'nothing') {
    throw new ModelFailure('upstream_invalid', `${upstream} sent an empty response. Try again.`)
  }
  if (form === 'events' && !finished) {
    throw new ModelFailure(
      'upstream_cut',
      `${upstream} closed the connection before its reply was complete. Try again.`,
    )
  }
}

function parse(text: string, upstream: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ModelFailure(
      'upstream_invalid',
      `${upstream} sent invalid JSON. Try again, or check the address.`,
    )
  }
}
