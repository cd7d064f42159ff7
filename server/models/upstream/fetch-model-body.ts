import { describeSentError, findUpstreamMessage } from './describe-failure.ts'
import { linkSignal } from '../../lib/abort.ts'
import { ModelFailure } from '../failure.ts'
import { postModelCall } from './post-model-call.ts'
import type { ModelCall, ModelCallOptions, Progress } from './post-model-call.ts'

/**
 * Posts a call and returns a `Response`, which is what the provider packages read. Retries, limits and failures are those
 * of every other model call. Only a body that begins like an event stream is passed on.
 */
export function fetchModelBody(
  call: ModelCall,
  options: Omit<ModelCallOptions, 'onData'>,
): Promise<Response> {
  const callSignal = linkSignal(options.signal, null)
  const checker = checkBody(call, options.limits.maxEventChars)
  let opened = false
  let cancelled = false
  return new Promise((resolve, reject) => {
    const stream = new ReadableStream<Uint8Array>({
      start(body) {
        const onData = (chunk: Buffer): Progress => {
          if (!checker.push(chunk)) return 'more'
          // A copy, because the reader takes ownership of the bytes while the connection still uses their memory.
          body.enqueue(Uint8Array.from(chunk))
          if (!opened) resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }))
          opened = true
          return 'more'
        }
        const run = async () => {
          // `start` runs before `stream` is assigned, and `onData` uses `stream`.
          await Promise.resolve()
          await postModelCall(call, { ...options, signal: callSignal.signal, onData }).ended
          checker.end()
          body.close()
        }
        run()
          .catch((error: Error) => {
            if (!cancelled) body.error(error)
            reject(error)
          })
          .finally(() => callSignal.release())
      },
      cancel() {
        cancelled = true
        callSignal.abort()
      },
    })
  })
}

interface BodyChecker {
  /**
   * Whether the chunk belongs to an event stream.
   * @throws ModelFailure
   */
  push(chunk: Buffer): boolean
  end(): void
}

const lineFeed = 10

function checkBody(call: ModelCall, maxEventChars: number): BodyChecker {
  const { upstream } = call
  let head = ''
  let form: 'unknown' | 'events' | 'json' = 'unknown'
  let lineBytes = 0

  function detectForm(chunk: Buffer): void {
    head += chunk.toString('utf8')
    const first = head.trimStart()[0]
    if (first === '<') {
      throw new ModelFailure(
        'upstream_invalid',
        `${upstream} returned a web page instead of a model's response. Check the address and the API path.`,
      )
    }
    if (first !== undefined) form = first === '{' || first === '[' ? 'json' : 'events'
  }

  return {
    push(chunk) {
      if (form !== 'events') detectForm(chunk)
      const firstLineEnd = chunk.indexOf(lineFeed)
      const lineLength = lineBytes + (firstLineEnd < 0 ? chunk.length : firstLineEnd)
      lineBytes = firstLineEnd < 0 ? lineLength : chunk.length - chunk.lastIndexOf(lineFeed)
      if (lineLength > maxEventChars || (form !== 'events' && head.length > maxEventChars)) {
        throw new ModelFailure(
          'upstream_invalid',
          `${upstream} sent more than ${maxEventChars.toLocaleString('en')} characters in one event.`,
        )
      }
      return form === 'events'
    },
    end() {
      if (form === 'events') return
      const message = form === 'json' ? findUpstreamMessage(head) : undefined
      if (message !== undefined) throw describeSentError({ code: '', message }, upstream, call.confidential)
      throw new ModelFailure('upstream_invalid', `${upstream} sent an empty response. Try again.`)
    },
  }
}
