import { ModelFailure } from '../failure.ts'
import type { ModelLimits } from '../adapter.ts'
import type { PartQueue } from '../reply-parts.ts'
import type { ModelCall, Progress } from '../upstream/post-model-call.ts'
import { readEventStream } from '../upstream/read-event-stream.ts'
import { readChunks } from './read-chunks.ts'

export interface ResponseReader {
  push(chunk: Buffer): Progress
  /**
   * Must be called when the connection has ended or no more data is expected. Adds `finish` to the parts.
   * @throws ModelFailure
   */
  end(): void
}

/** The text that ends a stream of chat completion chunks. */
const endMarker = '[DONE]'

type ResponseForm = 'nothing' | 'events' | 'json'

/** Reads the body of a response into `parts`. */
export function readResponse(call: ModelCall, limits: ModelLimits, parts: PartQueue): ResponseReader {
  const { upstream } = call
  const chunks = readChunks(call, limits)
  let form: ResponseForm = 'nothing'
  let hasEndMarker = false

  const body = readEventStream(upstream, limits.maxEventChars, {
    onEvent(data) {
      form = 'events'
      hasEndMarker = data.startsWith(endMarker)
      if (!hasEndMarker && data !== '') chunks.read(parse(data, upstream))
      return hasEndMarker
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

  /** Adds the parts that were read even when reading fails, so that they come before the failure. */
  function readInto(read: () => void): void {
    try {
      read()
    } finally {
      parts.push(chunks.take())
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

/** JSON that could be parsed is complete. A stream is complete when the model has sent its finish. */
function requireComplete(form: ResponseForm, finished: boolean, upstream: string): void {
  if (form === 'nothing') {
    throw new ModelFailure('upstream_invalid', `${upstream} sent no answer.`)
  }
  if (form === 'events' && !finished) {
    throw new ModelFailure('upstream_cut', `${upstream} broke off in the middle of its answer.`)
  }
}

function parse(text: string, upstream: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ModelFailure('upstream_invalid', `${upstream} sent something that is not valid JSON.`)
  }
}
