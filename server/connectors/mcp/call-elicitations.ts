import type { CallToolRequest, UrlElicitationRequiredError } from '@modelcontextprotocol/client'
import { linkSignal, onAbort } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { isObject, type JsonObject } from '../../lib/json-object.ts'
import type { SentAnswer } from '../calls/elicitation-form.ts'
import type { ConnectorLimits } from '../connector-limits.ts'

/** How a call passes elicitations to its user. */
export interface ElicitingCall {
  /**
   * Passes an elicitation to the user; `params` is unvalidated data from the server. `isRepeated` says that the call is
   * made again after the answer. Resolves to undefined when the elicitation cannot be shown. Never rejects.
   */
  readonly onElicit: (
    params: unknown,
    signal: AbortSignal,
    isRepeated: boolean,
  ) => Promise<SentAnswer | undefined>
  /** Paused while the call waits for the user. */
  readonly clock: { readonly signal: AbortSignal; pause(): void; resume(): void }
}

interface HandleOptions {
  /** Aborting it cancels the elicitation. */
  readonly signal?: AbortSignal
  /** Whether the call is made again after the answer. */
  readonly isRepeated?: boolean
}

export function tooManyElicitations(): AppError {
  return new AppError('upstream_invalid', 'The tool requested input from the user too many times.')
}

/** Handles the elicitations of one call, one after the other and at most `maxElicitations`. */
export class CallElicitations {
  readonly #call: ElicitingCall
  readonly #limits: ConnectorLimits
  readonly #ended = new AbortController()
  readonly #refused = new AbortController()
  #count = 0
  #last: Promise<unknown> = Promise.resolve()
  /** Whether an elicitation waits for its answer. */
  #isWaiting = false
  /** What to do when the server reports that the user has finished on a page, by the id of the elicitation. */
  readonly #finishCallbacks = new Map<string, () => void>()

  constructor(call: ElicitingCall, limits: ConnectorLimits) {
    this.#call = call
    this.#limits = limits
  }

  /** Aborted when the server sends too many elicitations, so that the call fails. */
  get refused(): AbortSignal {
    return this.#refused.signal
  }

  /** Cancels pending elicitations. */
  end(): void {
    this.#ended.abort()
  }

  /**
   * Shows an elicitation once the earlier ones are answered, and returns the user's answer. An elicitation that cannot
   * be shown is declined.
   */
  async handle(params: unknown, options: HandleOptions = {}): Promise<SentAnswer> {
    return (await this.#show(params, options)) ?? { action: 'decline' }
  }

  /** Returns undefined when the elicitation cannot be shown. */
  async #show(params: unknown, options: HandleOptions): Promise<SentAnswer | undefined> {
    if (++this.#count > this.#limits.maxElicitations) {
      this.#refused.abort(tooManyElicitations())
      return { action: 'cancel' }
    }
    const previous = this.#last
    const answer = previous.then(() => this.#waitForUser(params, options))
    this.#last = answer
    return answer
  }

  /**
   * Shows the pages that the server has named in its error. The user has to open them before the call is made again.
   * @throws AppError when the user does not open one, or when the server names none or one that cannot be shown
   */
  async openPages({ elicitations }: UrlElicitationRequiredError): Promise<void> {
    const pages: readonly unknown[] = Array.isArray(elicitations) ? elicitations : []
    if (pages.length === 0) {
      throw new AppError('upstream_error', 'The server asked the user to open a page and named none.')
    }
    for (const page of pages) {
      const params = { ...(isObject(page) ? page : {}), mode: 'url' }
      const answer = await this.#show(params, { isRepeated: true })
      if (answer === undefined) {
        throw new AppError(
          'upstream_error',
          'The server asked the user to open a page whose address is not accepted, so the page was not shown and the tool was not called again.',
        )
      }
      if (answer.action !== 'accept') {
        throw new AppError(
          'conflict',
          'The user did not open the page that the tool needs, so the tool was not called again.',
        )
      }
    }
  }

  /** Ends the wait for the user on a page, after a legacy server has reported that the user has finished there. */
  finishPage(elicitationId: string): void {
    this.#finishCallbacks.get(elicitationId)?.()
  }

  async #waitForUser(
    params: unknown,
    { signal, isRepeated = false }: HandleOptions,
  ): Promise<SentAnswer | undefined> {
    const { clock, onElicit } = this.#call
    const linked = linkSignal(clock.signal, this.#limits.maxElicitationMs)
    const cancels = [this.#ended.signal, this.refused, ...(signal === undefined ? [] : [signal])]
    const removals = cancels.map((each) => onAbort(each, () => linked.abort()))
    const pageId = readPageId(params)
    let isOpen = false
    try {
      if (linked.signal.aborted) return { action: 'cancel' }
      this.#isWaiting = true
      clock.pause()
      const answer = await Promise.race([
        onElicit(params, linked.signal, isRepeated),
        cancelled(linked.signal),
        ...(isRepeated && pageId !== undefined ? [this.#waitUntilFinished(pageId)] : []),
      ])
      isOpen = pageId !== undefined && !isRepeated && answer?.action === 'accept'
      return answer
    } finally {
      this.#isWaiting = false
      if (pageId !== undefined) this.#finishCallbacks.delete(pageId)
      if (isOpen && pageId !== undefined) this.#pauseUntilFinished(pageId)
      this.#resumeClock()
      for (const remove of removals) remove()
      // Closes the elicitation on the screen when the server has reported the end before the user answered.
      linked.abort()
      linked.release()
    }
  }

  /** Resolves when the server reports that the user has finished on a page. */
  #waitUntilFinished(pageId: string): Promise<SentAnswer> {
    return new Promise((resolve) => {
      this.#finishCallbacks.set(pageId, () => resolve({ action: 'accept' }))
    })
  }

  /** Does not count the time that the user spends on a page for which the server waits. */
  #pauseUntilFinished(pageId: string): void {
    const resume = (): void => {
      clearTimeout(timer)
      removeEnd()
      this.#finishCallbacks.delete(pageId)
      this.#resumeClock()
    }
    const timer = setTimeout(resume, this.#limits.maxElicitationMs)
    const removeEnd = onAbort(this.#ended.signal, () => clearTimeout(timer))
    this.#finishCallbacks.set(pageId, resume)
  }

  /** Resumes the clock of the call, unless another elicitation is pending or the user is on a page. */
  #resumeClock(): void {
    if (!this.#isWaiting && this.#finishCallbacks.size === 0) this.#call.clock.resume()
  }

  /** Handles the elicitations of a result. Returns the parameters of the next round: the same call with the answers. */
  async handleAll(params: CallToolRequest['params'], result: JsonObject): Promise<CallToolRequest['params']> {
    const responses: Record<string, SentAnswer> = {}
    const requests = Object.entries((result['inputRequests'] ?? {}) as JsonObject)
    if (requests.length > this.#limits.maxElicitations) throw tooManyElicitations()
    for (const [key, request] of requests) {
      const { method, params: elicitation } = isObject(request) ? request : {}
      if (method !== 'elicitation/create') {
        throw new AppError('upstream_invalid', 'The tool sent a request that is not supported.')
      }
      responses[key] = await this.handle(elicitation, { isRepeated: true })
    }
    const { requestState } = result
    // A variable, because the SDK's type does not list `inputResponses`.
    const next = {
      name: params.name,
      arguments: params.arguments,
      inputResponses: responses,
      ...(requestState === undefined ? {} : { requestState }),
    }
    return next
  }
}

function cancelled(signal: AbortSignal): Promise<SentAnswer> {
  return new Promise((resolve) => {
    onAbort(signal, () => resolve({ action: 'cancel' }))
  })
}

/** The id of an elicitation by URL; modern servers send none. */
function readPageId(params: unknown): string | undefined {
  const { mode, elicitationId } = isObject(params) ? params : {}
  return mode === 'url' && typeof elicitationId === 'string' ? elicitationId : undefined
}
