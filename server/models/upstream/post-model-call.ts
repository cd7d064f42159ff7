import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { AppError } from '../../lib/app-error.ts'
import { describeHttpError, describeNetworkError, isRetryable, retryDelay } from './describe-failure.ts'
import type { UpstreamAnswer } from './describe-failure.ts'
import { limitSignal } from '../../lib/limit-signal.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelLimits } from '../adapter.ts'
import type { QuoteGuard } from './quote-upstream.ts'

export interface ModelCall {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** How messages name the upstream, e.g. its host. */
  readonly upstream: string
  readonly guard: QuoteGuard
}

export interface ModelCallOptions {
  readonly dispatcher: Dispatcher
  readonly limits: ModelLimits
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Takes one read of the answer and tells how far it is; what it throws ends the call. */
  readonly onData: (chunk: Buffer) => Progress
  /** Called when data is waiting for `ModelPost.read`; without it, data is read as it arrives. */
  readonly onReadable?: (() => void) | undefined
}

/** A call under way. */
export interface ModelPost {
  /** Passes the data that is waiting to `onData`. Called by itself before the call ends, fails, or holds too much. */
  read(): void
  /**
   * Resolves when the answer ended or `onData` said so; rejects with a `ModelFailure`, or with the abort's reason.
   */
  readonly ended: Promise<void>
}

/** `finishing`: the model said that it finished, but more such as usage may follow; `done`: nothing after it counts. */
export type Progress = 'more' | 'finishing' | 'done'

type Attempt =
  | { readonly kind: 'ended' }
  | { readonly kind: 'answered'; readonly answer: UpstreamAnswer }
  | { readonly kind: 'broken'; readonly error: unknown; readonly started: boolean }

const errorBodyBytes = 64 * 1024
/** Bytes of an answer that wait to be read; with more, they are read at once. */
const mostUnread = 16 * 1024

/**
 * Posts a call and hands the body of a successful answer to `onData`, read by read. Asks again, within bounds, only
 * what was refused before it had brought anything.
 */
export function postModelCall(call: ModelCall, options: ModelCallOptions): ModelPost {
  let exchange: Exchange | undefined
  const ended = postWithin(call, options, (attempt) => {
    exchange = attempt
  })
  return { read: () => exchange?.readKept(), ended }
}

type OnExchange = (exchange: Exchange) => void

async function postWithin(call: ModelCall, options: ModelCallOptions, onExchange: OnExchange): Promise<void> {
  const overall = limitSignal(options.signal, options.limits.total)
  try {
    await postRepeatedly(call, { ...options, signal: overall.signal }, onExchange)
  } catch (error) {
    options.signal.throwIfAborted()
    throw overall.timedOut ? tooLong(call, options.limits) : error
  } finally {
    overall.release()
  }
}

async function postRepeatedly(
  call: ModelCall,
  options: ModelCallOptions,
  onExchange: OnExchange,
): Promise<void> {
  const { limits, signal } = options
  for (let attempt = 1; ; attempt++) {
    const outcome = await postOnce(call, options, onExchange)
    signal.throwIfAborted()
    if (outcome.kind === 'ended') return
    const wait = attempt < limits.attempts ? waitBefore(outcome, attempt, options) : undefined
    if (wait === undefined) throw toFailure(call, outcome)
    await pause(wait, undefined, { signal })
  }
}

function waitBefore(outcome: Attempt, attempt: number, options: ModelCallOptions): number | undefined {
  if (outcome.kind === 'answered')
    return retryDelay(outcome.answer, attempt, options.limits.retryWait, options.now())
  if (outcome.kind === 'broken' && !outcome.started && isRetryable(outcome.error)) return 250 * attempt
  return undefined
}

function toFailure(call: ModelCall, outcome: Attempt): Error {
  if (outcome.kind === 'answered') return describeHttpError(outcome.answer, call.upstream, call.guard)
  const error = outcome.kind === 'broken' ? outcome.error : undefined
  if (error instanceof ModelFailure) return error
  if (error instanceof AppError) return new ModelFailure(error.code, error.message)
  return describeNetworkError(error, call.upstream, outcome.kind === 'broken' && outcome.started)
}

function tooLong(call: ModelCall, limits: ModelLimits): ModelFailure {
  const minutes = Math.max(1, Math.round(limits.total / 60_000))
  return new ModelFailure(
    'upstream_timeout',
    `${call.upstream} did not finish its answer within ${minutes} min.`,
  )
}

/**
 * One attempt. Reads straight from the dispatcher's callbacks: a stream object between socket and parser would double
 * what a token costs.
 */
function postOnce(call: ModelCall, options: ModelCallOptions, onExchange: OnExchange): Promise<Attempt> {
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
          headersTimeout: options.limits.firstByte,
          bodyTimeout: options.limits.idle,
        },
        exchange,
      )
    } catch (error) {
      exchange.onResponseError(undefined, error)
    }
  })
}

class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined
  private status = 0
  private headers: UpstreamAnswer['headers'] = {}
  private errorBody = ''
  private unread: Buffer[] = []
  private unreadBytes = 0
  private settled = false
  private finishing = false
  private lingering: NodeJS.Timeout | undefined
  private readonly options: ModelCallOptions
  private readonly resolve: (attempt: Attempt) => void
  private readonly onAbort = () =>
    this.settle({ kind: 'broken', error: this.options.signal.reason, started: true })

  constructor(options: ModelCallOptions, resolve: (attempt: Attempt) => void) {
    this.options = options
    this.resolve = resolve
    if (options.signal.aborted) this.onAbort()
    else options.signal.addEventListener('abort', this.onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.settled) controller.abort(stopped())
  }

  onResponseStart(_controller: unknown, status: number, headers: UpstreamAnswer['headers']): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
    // An error's text is worth a short wait, not an idle timeout.
    if (!this.succeeded) this.lingering = setTimeout(() => this.settle(this.answered()), 5_000)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) {
      controller.abort(stopped())
    } else if (this.succeeded) {
      this.keep(chunk)
    } else {
      this.errorBody += chunk.toString('utf8', 0, errorBodyBytes)
      if (this.errorBody.length >= errorBodyBytes) this.settle(this.answered())
    }
  }

  onResponseEnd(): void {
    this.readKept()
    clearTimeout(this.lingering)
    this.controller = undefined
    this.settle(this.succeeded ? { kind: 'ended' } : this.answered())
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.readKept()
    clearTimeout(this.lingering)
    this.controller = undefined
    if (this.finishing) return this.settle({ kind: 'ended' })
    this.settle(
      this.status !== 0 && !this.succeeded
        ? this.answered()
        : { kind: 'broken', error, started: this.status !== 0 },
    )
  }

  private get succeeded(): boolean {
    return this.status >= 200 && this.status < 300 && this.status !== 204 && this.status !== 205
  }

  private answered(): Attempt {
    return { kind: 'answered', answer: { status: this.status, headers: this.headers, body: this.errorBody } }
  }

  private keep(chunk: Buffer): void {
    this.unread.push(chunk)
    this.unreadBytes += chunk.length
    const { onReadable } = this.options
    if (onReadable === undefined || this.unreadBytes > mostUnread) this.readKept()
    onReadable?.()
  }

  readKept(): void {
    const chunks = this.unread
    const [first] = chunks
    if (first === undefined || this.settled) return
    this.unread = []
    this.unreadBytes = 0
    this.read(chunks.length === 1 ? first : Buffer.concat(chunks))
  }

  private read(chunk: Buffer): void {
    let progress: Progress
    try {
      progress = this.options.onData(chunk)
    } catch (error) {
      this.settle({ kind: 'broken', error, started: true })
      return
    }
    if (progress === 'done') this.endAnswer()
    else if (progress === 'finishing' && !this.finishing) {
      this.finishing = true
      this.lingering = setTimeout(() => this.settle({ kind: 'ended' }), this.options.limits.afterFinish)
    }
  }

  /** A connection that ends its answer now can serve the next one; any other is closed. */
  private endAnswer(): void {
    const { controller } = this
    this.controller = undefined
    this.settle({ kind: 'ended' })
    this.lingering = setTimeout(() => controller?.abort(stopped()), 500)
    this.lingering.unref()
  }

  private settle(attempt: Attempt): void {
    this.readKept()
    // What waited to be read may have been the end itself.
    if (this.settled) return
    this.settled = true
    clearTimeout(this.lingering)
    this.options.signal.removeEventListener('abort', this.onAbort)
    this.controller?.abort(stopped())
    this.resolve(attempt)
  }
}

function stopped(): Error {
  return new Error('the answer is not read any further')
}
