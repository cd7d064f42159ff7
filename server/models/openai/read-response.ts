import { ModelFailure } from '../failure.ts'
import type { ModelLimits } from '../adapter.ts'
import type { PartQueue } from '../reply-parts.ts'
import type { ModelCall, Progress } from '../upstream/post-model-call.ts'
import { readEventStream } from '../upstream/read-event-stream.ts'
import { readChunks } from './read-chunks.ts'

export interface ResponseReader {
  push(chunk: Buffer): Progress
  /**
   * The connection ended, or no more data is awaited. Adds `finish` to the parts.
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
  let marked = false

  const body = readEventStream(upstream, limits.maxEventChars, {
    onEvent(data) {
      form = 'events'
      marked = data.startsWith(endMarker)
      if (!marked && data !== '') chunks.read(parse(data, upstream))
      return marked
    },
    onJson(text) {
      form = 'json'
      chunks.read(parse(text, upstream))
    },
  })

  /** An incomplete event after the finish, such as usage, does not fail the reply. */
  function endBody(): void {
    try {
      body.end()
    } catch (error) {
      if (!chunks.finished) throw error
    }
  }

  /** Parts that arrived before a failure are passed on before the failure is thrown. */
  function passOn(read: () => void): void {
    try {
      read()
    } finally {
      parts.push(chunks.take())
    }
  }

  return {
    push(chunk) {
      passOn(() => body.push(chunk))
      if (marked) return 'done'
      return chunks.finished ? 'finishing' : 'more'
    },
    end() {
      passOn(() => {
        if (!marked) endBody()
        requireComplete(form, marked || chunks.finished, upstream)
        chunks.end()
      })
    },
  }
}

/** Readable JSON is complete. A stream is complete when the model has sent its finish. */
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
