import { linkSignal } from '../../lib/abort.ts'
import { parseJson } from '../../lib/json-object.ts'
import { ModelFailure } from '../failure.ts'
import { describeSentError, findUpstreamMessage } from './describe-failure.ts'
import { postModelCall, type ModelCall, type ModelCallOptions, type Progress } from './post-model-call.ts'
import { createBodyReader } from './read-events.ts'

interface FetchOptions extends Omit<ModelCallOptions, 'onData'> {
  /** Whether the provider package can read events of this name. Others are omitted. */
  readonly readsEvent: (name: string) => boolean
  /** Returns the events that the package gets for this one. */
  readonly keepArguments: (data: string) => readonly string[]
}

/**
 * Posts a call and returns a `Response`, which is what the provider packages read. Retries, limits and failures are
 * those of every other model call. The body has only the events that the package can read, each as plain `data:` lines.
 * A failure before the first event rejects, a later one is an error of the body.
 */
export function fetchModelBody(call: ModelCall, options: FetchOptions): Promise<Response> {
  const callSignal = linkSignal(options.signal, null)
  const encoder = new TextEncoder()
  let opened = false
  let cancelled = false
  let ending = false
  return new Promise((resolve, reject) => {
    const stream = new ReadableStream<Uint8Array>({
      start(body) {
        const events = createBodyReader(call, options.limits.maxEventChars, {
          onEvent(data, name) {
            // An event that was cut off by the end of the connection is omitted: the package could not parse it.
            if (!options.readsEvent(name) || (ending && parseJson(data) === undefined)) return
            for (const event of options.keepArguments(data))
              body.enqueue(encoder.encode(`data: ${event.replaceAll('\n', '\ndata: ')}\n\n`))
            if (!opened) resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }))
            opened = true
          },
          onEndMarker: () => undefined,
          onJson(text) {
            const message = findUpstreamMessage(text)
            if (message !== undefined)
              throw describeSentError({ code: '', message }, call.upstream, call.confidential)
            throw new ModelFailure(
              'upstream_invalid',
              `${call.upstream} sent its reply in one piece instead of streaming it, which this API type requires. Check the API path, and that streaming is turned on there.`,
            )
          },
        })
        const onData = (chunk: Buffer): Progress => (events.push(chunk) ? 'done' : 'more')
        const run = async () => {
          // `start` runs before `stream` is assigned, and `onEvent` uses `stream`.
          await Promise.resolve()
          await postModelCall(call, { ...options, signal: callSignal.signal, onData }).ended
          ending = true
          events.end()
          if (!opened)
            throw new ModelFailure('upstream_invalid', `${call.upstream} sent an empty response. Try again.`)
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
