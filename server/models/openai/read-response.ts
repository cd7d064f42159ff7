import { ModelFailure } from '../failure.ts'
import type { ModelLimits } from '../adapter.ts'
import type { PartQueue } from '../reply-parts.ts'
import type { ModelCall, Progress } from '../upstream/post-model-call.ts'
import { readEventStream } from '../upstream/read-events.ts'
import { ChunkReader } from './read-chunks.ts'

export interface ResponseReader {
  push(chunk: Buffer): Progress
  /**
   * Must be called when the connection has ended or no more data is expected. Adds `finish` to the parts.
   * @throws ModelFailure
   */
  end(): void
}

type ResponseForm = 'nothing' | 'events' | 'json'

/** Reads the body of a response into `parts`. */
export function readResponse(call: ModelCall, limits: ModelLimits, parts: PartQueue): ResponseReader {
  const { upstream } = call
  const chunks = new ChunkReader(call, limits)
  let form: ResponseForm = 'nothing'
  let hasEndMarker = false

  const body = readEventStream(call, limits.maxEventChars, {
    onEvent(data, name) {
      form = 'events'
      chunks.read(parse(data, upstream), name)
    },
    onEndMarker() {
      form = 'events'
      hasEndMarker = true
    },
    onJson(text) {
      form = 'json'
      chunks.read(parse(text, upstream))
    },
  })

  /** Ends the body. An incomplete event after the finish, such as usage, does not fail the reply. */
  function endBody(): void {
    try {
      body.end()
    } catch (error) {
      if (!chunks.finished) throw error
    }
  }

  /** Adds the parts also when reading fails, so that they precede the failure. */
  function readInto(read: () => void): void {
    try {
      read()
    } finally {
      parts.push(chunks.drain())
    }
  }

  return {
    push(chunk) {
      readInto(() => body.push(chunk))
      if (hasEndMarker) return 'done'
      return chunks.finished ? 'finishing' : 'more'
    },
    end() {
      readInto(() => {
        if (!hasEndMarker) endBody()
        requireComplete(form, hasEndMarker || chunks.finished, upstream)
        chunks.end()
      })
    },
  }
}

/**
 * JSON that could be parsed is complete. A stream is complete when it has an end marker or a finish reason (§14.31).
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
