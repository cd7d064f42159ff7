import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import { ModelFailure } from '../failure.ts'

export interface BodyReader {
  /** Returns `true` when the response is complete; data after it is ignored. */
  push(chunk: Buffer): boolean
  /** Must be called when the connection has ended. */
  end(): void
}

export interface BodyListener {
  /** Receives the data of one event; returns `true` when no later event matters. */
  readonly onEvent: (data: string) => boolean
  /** Receives the body when it is one JSON text rather than an event stream. */
  readonly onJson: (text: string) => void
}

/**
 * Reads a response that is an event stream, or one JSON text from an upstream that does not stream. The first character
 * decides which, not the content type, because servers behind proxies send a wrong one.
 */
export function readEventStream(upstream: string, maxEventChars: number, listener: BodyListener): BodyReader {
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
      `${upstream} sent more than ${maxEventChars.toLocaleString('en')} characters in one piece.`,
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
      `${upstream} returned a web page instead of a model's response: check the address and the API path.`,
    )
  }
  return first === '{' || first === '[' || first === '"' ? 'json' : 'events'
}
