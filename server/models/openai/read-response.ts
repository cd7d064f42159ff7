import { endMarker } from '@yonder/contract/event-stream'
import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import { ModelFailure } from '../failure.ts'
import type { ModelLimits } from '../adapter.ts'
import type { PartQueue } from '../reply-parts.ts'
import type { ModelCall, Progress } from '../upstream/post-model-call.ts'
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

interface BodyReader {
  /** Returns `true` when the response is complete; data after it is ignored. */
  push(chunk: Buffer): boolean
  /** Must be called when the connection has ended. */
  end(): void
}

interface BodyListener {
  /** Receives the data of one event; returns `true` when no later event matters. */
  readonly onEvent: (data: string) => boolean
  /** Receives the whole body when it is JSON instead of an event stream. */
  readonly onJson: (text: string) => void
}

/**
 * Reads a response that is an event stream, or JSON from an upstream that does not stream. The first character decides,
 * not the content type, because servers behind proxies send a wrong one.
 */
function readEventStream(upstream: string, maxEventChars: number, listener: BodyListener): BodyReader {
  const decoder = new StringDecoder('utf8')
  let form: 'unknown' | 'events' | 'json' = 'unknown'
  let json = ''
  let done = false
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent(event) {
      if (event.data.length > maxEventChars) throw tooLarge()
      if (!done) done = listener.onEvent(event.data)
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge()
    },
  })

  function tooLarge(): ModelFailure {
    return new ModelFailure(
      'upstream_invalid',
      `${upstream} sent more than ${maxEventChars.toLocaleString('en')} characters in one event.`,
    )
  }

  function read(text: string): void {
    if (form === 'unknown') form = detectForm(text, upstream)
    if (form === 'events') parser.feed(text)
    else if (form === 'json') {
      json += text
      // A complete response may be longer than one event.
      if (json.length > 4 * maxEventChars) throw tooLarge()
    }
  }

  return {
    push(chunk) {
      read(decoder.write(chunk))
      return done
    },
    end() {
      read(decoder.end())
      if (form === 'events') parser.feed('\n\n')
      if (form === 'json') listener.onJson(json)
    },
  }
}

function detectForm(text: string, upstream: string): 'unknown' | 'events' | 'json' {
  const first = text.replace(/^\uFEFF/, '').trimStart()[0]
  if (first === undefined) return 'unknown'
  if (first === '<') {
    throw new ModelFailure(
      'upstream_invalid',
      `${upstream} returned a web page instead of a model's response. Check the address and the API path.`,
    )
  }
  return first === '{' || first === '[' || first === '"' ? 'json' : 'events'
}
