import { ModelFailure } from '../failure.ts'
import type { ModelLimits } from '../adapter.ts'
import type { PartQueue } from '../reply-parts.ts'
import type { ModelCall, Progress } from '../upstream/post-model-call.ts'
import { readEventStream } from '../upstream/read-event-stream.ts'
import { readOpenaiChunk } from './read-chunk.ts'

export interface AnswerReader {
  push(chunk: Buffer): Progress
  /** The connection ended, or nothing more is awaited: gives `finish`, or throws a `ModelFailure`. */
  end(): void
}

/** The text that closes a stream of chat completion chunks. */
const endMarker = '[DONE]'

type AnswerForm = 'nothing' | 'events' | 'json'

/** Reads the body of an answer into `parts`. */
export function readOpenaiAnswer(call: ModelCall, limits: ModelLimits, parts: PartQueue): AnswerReader {
  const { upstream } = call
  const chunks = readOpenaiChunk(call, limits)
  let form: AnswerForm = 'nothing'
  let marked = false

  const body = readEventStream(upstream, limits.eventChars, {
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

  /** Half an event behind the finish, e.g. of usage, is no fault of the answer. */
  function endBody(): void {
    try {
      body.end()
    } catch (error) {
      if (!chunks.finished) throw error
    }
  }

  /** What came before a fault is given before the fault is told. */
  function handOn(read: () => void): void {
    try {
      read()
    } finally {
      parts.push(chunks.take())
    }
  }

  return {
    push(chunk) {
      handOn(() => body.push(chunk))
      if (marked) return 'done'
      return chunks.finished ? 'finishing' : 'more'
    },
    end() {
      handOn(() => {
        if (!marked) endBody()
        requireWhole(form, marked || chunks.finished, upstream)
        chunks.end()
      })
    },
  }
}

/** JSON that can be read is whole; a stream is whole when the model said that it finished. */
function requireWhole(form: AnswerForm, finished: boolean, upstream: string): void {
  if (form === 'nothing') {
    throw new ModelFailure('upstream_invalid', `${upstream} sent nothing that is an answer.`)
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
