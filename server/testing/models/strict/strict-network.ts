import { Dispatcher } from 'undici'
import type { GuardedFetch } from '../../../http/outgoing/guarded-fetch.ts'
import type { ModelEndpoint } from '../../../models/endpoint.ts'
import { wireShapes } from '../wire-shapes.ts'
import type { StrictProvider } from './providers.ts'
import { refuse, type Refusal } from './refusal.ts'

/** Half of a character is written as an escape, and other halves as no escape. */
function checkUnicode(body: string): Refusal | undefined {
  return /(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(body)
    ? refuse('wholeCharacters', 'The request body is not valid JSON: no low surrogate in string')
    : undefined
}

/** A network in which a strict provider answers every request, at whatever address. */
export class StrictNetwork extends Dispatcher {
  readonly refusals: Refusal[] = []
  readonly bodies: string[] = []
  /** The events of the next reply; by default a short text. */
  nextReply: string | undefined
  readonly #provider: StrictProvider

  constructor(provider: StrictProvider) {
    super()
    this.#provider = provider
  }

  /** The network as models use it. */
  get guards(): Readonly<Record<ModelEndpoint['addressSource'], GuardedFetch>> {
    const guard = { dispatcher: this, requireUrl: () => undefined } as unknown as GuardedFetch
    return { userSupplied: guard, operatorSupplied: guard }
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    void this.#respond(typeof options.body === 'string' ? options.body : '', handler)
    return true
  }

  async #respond(body: string, handler: Dispatcher.DispatchHandler): Promise<void> {
    const { apiType, check } = this.#provider
    const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController
    await Promise.resolve()
    this.bodies.push(body)
    const refusal = checkUnicode(body) ?? check(JSON.parse(body))
    if (refusal !== undefined) this.refusals.push(refusal)
    const shape = wireShapes[apiType]
    const reply = this.nextReply ?? shape.text('ok') + shape.finish('stop', { input: 5, output: 7 })
    if (refusal === undefined) this.nextReply = undefined
    const [status, type, text] =
      refusal === undefined
        ? ([200, 'text/event-stream', shape.start('m') + reply] as const)
        : ([
            refusal.status ?? 400,
            'application/json',
            JSON.stringify({
              error: { message: refusal.message, type: 'invalid_request_error', param: null, code: null },
            }),
          ] as const)
    handler.onRequestStart?.(controller, {})
    handler.onResponseStart?.(controller, status, { 'content-type': type }, '')
    handler.onResponseData?.(controller, Buffer.from(text))
    handler.onResponseEnd?.(controller, {})
  }
}
