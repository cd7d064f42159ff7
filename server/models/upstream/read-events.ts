import { StringDecoder } from 'node:string_decoder'
import { endMarker } from '@yonder/contract/lib/event-stream'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ModelFailure } from '../failure.ts'
import { describeSentError } from './describe-failure.ts'
import type { CallTarget } from './post-model-call.ts'

interface BodyListener {
  /** Receives the data of one event and its name, which is `message` when it has none. */
  readonly onEvent: (data: string, name: string) => void
  /** Called for the end marker. No event follows. */
  readonly onEndMarker: () => void
  /** Receives the whole body when it is JSON instead of an event stream. */
  readonly onJson: (text: string) => void
}

const keepAliveNames: readonly string[] = ['ping', 'heartbeat', 'keepalive', 'keep-alive']

/**
 * Creates a reader of the body of a response: an event stream, or JSON from an upstream that does not stream. The first
 * character shows which; the content type may be wrong behind a proxy. The result does not depend on how the bytes are
 * split. The last event counts even without the blank line after it.
 */
export function createBodyReader(
  { upstream, confidential }: CallTarget,
  maxEventChars: number,
  listener: BodyListener,
) {
  // A complete response may be longer than one event.
  const maxJsonChars = 4 * maxEventChars
  const decoder = new StringDecoder('utf8')
  let form: 'unknown' | 'events' | 'json' = 'unknown'
  let json = ''
  let done = false
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent(event) {
      if (event.data.length > maxEventChars) throw eventTooLarge()
      if (!done) readEvent(event)
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw eventTooLarge()
    },
  })

  function eventTooLarge(): ModelFailure {
    return tooLarge(upstream, maxEventChars, 'one event of its stream')
  }

  function readEvent(event: EventSourceMessage): void {
    const kind = classify(event)
    if (kind === 'chunk') return listener.onEvent(event.data, event.event ?? 'message')
    if (kind === 'error')
      throw describeSentError({ code: '', message: event.data.trim() }, upstream, confidential)
    if (kind !== 'end') return
    done = true
    listener.onEndMarker()
  }

  function read(chunk: string): void {
    // Removes a byte order mark too, which the parser would take for a part of the first line.
    const text = form === 'unknown' ? chunk.trimStart() : chunk
    if (text === '') return
    if (form === 'unknown') form = detectForm(text, upstream)
    if (form === 'events') return parser.feed(text)
    json += text
    if (json.length > maxJsonChars) throw tooLarge(upstream, maxJsonChars, 'its response')
  }

  return {
    /** Returns `true` once the end marker has arrived; data after it is ignored. */
    push(chunk: Buffer): boolean {
      read(decoder.write(chunk))
      return done
    },
    /** Must be called when no more data is read, unless `push` returned `true`. */
    end(): void {
      read(decoder.end())
      if (form === 'events') parser.feed('\n\n')
      if (form === 'json') listener.onJson(json)
    },
  }
}

function tooLarge(upstream: string, maxChars: number, where: string): ModelFailure {
  return new ModelFailure(
    'upstream_invalid',
    `${upstream} sent more than ${maxChars.toLocaleString('en')} characters in ${where}, the limit of this server. Try again, or choose another model.`,
  )
}

/** `error`: the data is the message of an error. */
type EventKind = 'chunk' | 'end' | 'error' | 'ignored'

function classify({ data, event: name = 'message' }: EventSourceMessage): EventKind {
  if (keepAliveNames.includes(name)) return 'ignored'
  // Almost every event is a JSON object.
  if (data.startsWith('{')) return 'chunk'
  const text = data.trim()
  if (text.startsWith(endMarker)) return 'end'
  if (text.startsWith('{')) return 'chunk'
  if (name === 'error') return 'error'
  return text === '' || name !== 'message' ? 'ignored' : 'chunk'
}

function detectForm(text: string, upstream: string): 'events' | 'json' {
  const [first = ''] = text
  if (first === '<') {
    throw new ModelFailure(
      'upstream_invalid',
      `${upstream} returned a web page instead of a model's response. Check the address and the API path.`,
    )
  }
  return '{["'.includes(first) ? 'json' : 'events'
}
