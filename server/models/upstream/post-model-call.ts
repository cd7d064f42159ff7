import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { linkSignal } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ModelLimits } from '../adapter.ts'
import { ModelFailure } from '../failure.ts'
import {
  defaultRetryDelay,
  describeHttpError,
  describeNetworkError,
  formatDelay,
  isRetryable,
  retryDelay,
  type FailedResponse,
  type Confidential,
} from './describe-failure.ts'

/** Where a model is called, and what is needed to describe the failures of a call. */
export interface CallTarget {
  readonly url: URL
  /** The name of the upstream in messages, for example its host. */
  readonly upstream: string
  readonly confidential: Confidential
  /** Names who made a note, and gets it back (`noteSource`). */
  readonly source: string
}

/** A request to a model, ready to be sent. */
export interface ModelCall extends CallTarget {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface ModelCallOptions {
  readonly dispatcher: Dispatcher
  readonly limits: ModelLimits
  readonly signal: AbortSignal
  /** Reads one chunk of the response and returns its progress. An error that it throws ends the call. */
  readonly onData: (chunk: Buffer) => Progress
  /**
   * Called after each chunk. The chunk waits for `ActiveCall.read`, unless so much was waiting that it was read
   * already. Without this callback, data is read as it arrives.
   */
  readonly onReadable?: (() => void) | undefined
}

/** A call whose response is not complete. */
export interface ActiveCall {
  /**
   * Passes the waiting data to `onData`. The call does so itself before it ends or fails, and when too much is waiting.
   */
  read(): void
  /**
   * Resolves when the response has ended or `onData` returned `done`, and at the latest `afterFinishMs` after it
   * returned `finishing`. Rejects with a `ModelFailure`, with what `onData` threw, or with the reason of the abort.
   */
  readonly ended: Promise<void>
}

/** `finishing`: the model has finished, but data such as usage may follow. `done`: later data is ignored. */
export type Progress = 'more' | 'finishing' | 'done'

/**
 * How one attempt ended. `started`: it must not be repeated, because a response has begun or the call was aborted.
 * `unreadable`: `onData` threw the error.
 */
type AttemptOutcome =
  | { readonly kind: 'ended' }
  | { readonly kind: 'refused'; readonly response: FailedResponse }
  | { readonly kind: 'broken'; readonly error: unknown; readonly started: boolean }
  | { readonly kind: 'unreadable'; readonly error: unknown }

const maxErrorBodyBytes = 64 * 1024
/** Waiting data over this size is read at once. */
const maxUnreadBytes = 16 * 1024

/**
 * Posts a call and passes the body of a successful response to `onData`, chunk by chunk. A failed call is retried
 * only while no data of a reply has arrived.
 */
export function postModelCall(call: ModelCall, options: ModelCallOptions): ActiveCall {
  let exchange: Exchange | undefined
  const ended = postWithTimeout(call, options, (current) => {
    exchange = current
  })
  return { read: () => exchange?.readWaiting(), ended }
}

type OnExchange = (exchange: Exchange) => void

async function postWithTimeout(
  call: ModelCall,
  options: ModelCallOptions,
  onExchange: OnExchange,
): Promise<void> {
  const overall = linkSignal(options.signal, options.limits.totalTimeoutMs)
  try {
    await postWithRetries(call, { ...options, signal: overall.signal }, onExchange)
  } catch (error) {
    options.signal.throwIfAborted()
    throw overall.timedOut ? overallTimeout(call, options.limits) : error
  } finally {
    overall.release()
  }
}

async function postWithRetries(
  call: ModelCall,
  options: ModelCallOptions,
  onExchange: OnExchange,
): Promise<void> {
  const { limits, signal } = options
  for (let attempt = 1; ; attempt++) {
    const outcome = await postOnce(call, options, onExchange)
    signal.throwIfAborted()
    if (outcome.kind === 'ended') return
    const wait =
      attempt < limits.maxAttempts ? retryDelayAfter(outcome, attempt, limits.maxRetryDelayMs) : undefined
    if (wait === undefined) throw toFailure(call, outcome)
    await pause(wait, undefined, { signal })
  }
}

function retryDelayAfter(
  outcome: AttemptOutcome,
  attempt: number,
  maxRetryDelayMs: number,
): number | undefined {
  if (outcome.kind === 'refused') return retryDelay(outcome.response, attempt, maxRetryDelayMs, Date.now())
  if (outcome.kind === 'broken' && !outcome.started && isRetryable(outcome.error))
    return defaultRetryDelay(attempt, maxRetryDelayMs)
  return undefined
}

function toFailure(call: ModelCall, outcome: AttemptOutcome): unknown {
  if (outcome.kind === 'unreadable') return outcome.error
  if (outcome.kind === 'refused') return describeHttpError(outcome.response, call.upstream, call.confidential)
  const error = outcome.kind === 'broken' ? outcome.error : undefined
  if (error instanceof ModelFailure) return error
  if (error instanceof AppError) return new ModelFailure(error.code, error.message)
  return describeNetworkError(error, call.upstream, outcome.kind === 'broken' && outcome.started)
}

function overallTimeout(call: ModelCall, limits: ModelLimits): ModelFailure {
  return new ModelFailure(
    'upstream_timeout',
    `${call.upstream} did not complete its reply within ${formatDelay(limits.totalTimeoutMs)}. Try again.`,
  )
}

/**
 * One attempt. Reads directly from the dispatcher's callbacks: a stream object between socket and parser would double
 * the cost of a token.
 */
function postOnce(
  call: ModelCall,
  options: ModelCallOptions,
  onExchange: OnExchange,
): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    const exchange = new Exchange(options, resolve)
    onExchange(exchange)
    try {
      options.dispatcher.dispatch(
        {
          origin: call.url.origin,
          path: call.url.pathname + call.url.search,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', ...call.headers },
          body: call.body,
          headersTimeout: options.limits.firstByteTimeoutMs,
          bodyTimeout: options.limits.idleTimeoutMs,
        },
        exchange,
      )
    } catch (error) {
      exchange.onResponseError(undefined, error)
    }
  })
}

/** One attempt: receives the callbacks of the dispatcher, and passes its outcome to `resolve` once. */
class Exchange implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: FailedResponse['headers'] = {}
  #errorBody = ''
  #errorDecoder: InstanceType<typeof TextDecoder> | undefined
  #unread: Buffer[] = []
  #unreadBytes = 0
  #settled = false
  #finishing = false
  #timer: NodeJS.Timeout | undefined
  readonly #options: ModelCallOptions
  readonly #resolve: (outcome: AttemptOutcome) => void
  readonly #onAbort = () =>
    this.#settle({ kind: 'broken', error: this.#options.signal.reason, started: true })

  constructor(options: ModelCallOptions, resolve: (outcome: AttemptOutcome) => void) {
    this.#options = options
    this.#resolve = resolve
    if (options.signal.aborted) this.#onAbort()
    else options.signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#settled) controller.abort(stopped())
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: FailedResponse['headers'],
  ): void {
    if (status < 200) return
    this.#status = status
    // Nobody reads the headers of a reply, which may take many minutes: eight buffers.
    controller.rawHeaders = null
    if (this.#succeeded) return
    this.#headers = headers
    // The text of an error may follow. Five seconds are enough; the idle timeout is much longer.
    this.#timer = setTimeout(() => this.#settle(this.#refused()), 5_000)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) {
      controller.abort(stopped())
    } else if (this.#succeeded) {
      this.#enqueue(chunk)
    } else {
      this.#errorDecoder ??= new TextDecoder()
      this.#errorBody += this.#errorDecoder.decode(chunk.subarray(0, maxErrorBodyBytes), { stream: true })
      if (this.#errorBody.length >= maxErrorBodyBytes) this.#settle(this.#refused())
    }
  }

  onResponseEnd(): void {
    this.readWaiting()
    clearTimeout(this.#timer)
    this.#controller = undefined
    this.#settle(this.#succeeded ? { kind: 'ended' } : this.#refused())
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.readWaiting()
    clearTimeout(this.#timer)
    this.#controller = undefined
    if (this.#finishing) return this.#settle({ kind: 'ended' })
    this.#settle(
      this.#status !== 0 && !this.#succeeded
        ? this.#refused()
        : { kind: 'broken', error, started: this.#status !== 0 },
    )
  }

  get #succeeded(): boolean {
    return this.#status >= 200 && this.#status < 300 && this.#status !== 204 && this.#status !== 205
  }

  #refused(): AttemptOutcome {
    return {
      kind: 'refused',
      response: { status: this.#status, headers: this.#headers, body: this.#errorBody },
    }
  }

  #enqueue(chunk: Buffer): void {
    this.#unread.push(chunk)
    this.#unreadBytes += chunk.length
    const { onReadable } = this.#options
    if (onReadable === undefined || this.#unreadBytes > maxUnreadBytes) this.readWaiting()
    onReadable?.()
  }

  readWaiting(): void {
    const chunks = this.#unread
    const [first] = chunks
    if (first === undefined || this.#settled) return
    this.#unread = []
    this.#unreadBytes = 0
    this.#read(chunks.length === 1 ? first : Buffer.concat(chunks))
  }

  #read(chunk: Buffer): void {
    let progress: Progress
    try {
      progress = this.#options.onData(chunk)
    } catch (error) {
      this.#settle({ kind: 'unreadable', error })
      return
    }
    if (progress === 'done') this.#endResponse()
    else if (progress === 'finishing' && !this.#finishing) {
      this.#finishing = true
      this.#timer = setTimeout(() => this.#settle({ kind: 'ended' }), this.#options.limits.afterFinishMs)
    }
  }

  /** Ends the attempt. Its connection stays open for a moment, and can be reused if the response ends by then. */
  #endResponse(): void {
    const controller = this.#controller
    this.#controller = undefined
    this.#settle({ kind: 'ended' })
    this.#timer = setTimeout(() => controller?.abort(stopped()), 500)
    this.#timer.unref()
  }

  #settle(outcome: AttemptOutcome): void {
    this.readWaiting()
    // Reading the waiting data may have settled the attempt already.
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    this.#options.signal.removeEventListener('abort', this.#onAbort)
    this.#controller?.abort(stopped())
    this.#resolve(outcome)
  }
}

function stopped(): Error {
  return new Error('The rest of the response is not needed.')
}
