import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import { ModelFailure } from '../failure.ts'

export interface BodyReader {
  /** Returns `true` when the answer is complete and nothing after it counts. */
  push(chunk: Buffer): boolean
  /** The connection ended. */
  end(): void
}

export interface BodyListener {
  /** The data of one event; `true` says that it was the last that counts. */
  readonly onEvent: (data: string) => boolean
  /** The body was no stream of events but one JSON text. */
  readonly onJson: (text: string) => void
}

/**
 * Reads an answer that is a stream of events, or one JSON text from an upstream that does not stream. Which of the two
 * is told by the first character and not by the content type, since servers behind proxies get the type wrong.
 */
export function readEventStream(upstream: string, eventChars: number, listener: BodyListener): BodyReader {
  const decoder = new StringDecoder('utf8')
  let form: 'unknown' | 'events' | 'json' = 'unknown'
  let json = ''
  let done = false
  const parser = createParser({
    maxBufferSize: eventChars,
    onEvent(event) {
      if (event.data.length > eventChars) throw tooLarge()
      if (!done) done = listener.onEvent(event.data)
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge()
    },
  })

  function tooLarge(): ModelFailure {
    return new ModelFailure(
      'upstream_invalid',
      `${upstream} sent more than ${eventChars.toLocaleString('en')} characters in one piece.`,
    )
  }

  function take(text: string): void {
    if (form === 'unknown') form = tellForm(text, upstream)
    if (form === 'events') parser.feed(text)
    else if (form === 'json') {
      json += text
      // A whole answer may be as long as many events.
      if (json.length > 4 * eventChars) throw tooLarge()
    }
  }

  return {
    push(chunk) {
      take(decoder.write(chunk))
      return done
    },
    end() {
      take(decoder.end())
      if (form === 'events') parser.feed('\n\n')
      if (form === 'json') listener.onJson(json)
    },
  }
}

function tellForm(text: string, upstream: string): 'unknown' | 'events' | 'json' {
  const first = text.replace(/^\uFEFF/, '').trimStart()[0]
  if (first === undefined) return 'unknown'
  if (first === '<') {
    throw new ModelFailure(
      'upstream_invalid',
      `${upstream} answered with a web page, not as a model does: check the address and the API path.`,
    )
  }
  return first === '{' || first === '[' || first === '"' ? 'json' : 'events'
}
