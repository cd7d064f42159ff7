import { onOutageEnd, waitToRetry, type Connection } from '../api/connection.ts'
import { logError } from '../log-error.ts'
import { readSse, type ConnectedStream } from './event-stream.ts'
import type { StreamState } from './live-feed.ts'

export interface SharedStreamOptions {
  /** The pages of one browser that pass the same name share one stream. */
  readonly name: string
  /** Requests the stream; undefined when the user was signed out. */
  readonly connect: (signal: AbortSignal) => Promise<ConnectedStream | undefined>
  /** When the server can be reached again, a lost stream is opened again at once. */
  readonly connection?: Connection
  /** Called in every page with every event's data, in order. */
  readonly onData: (data: string) => void
  /**
   * Called in every page. The first `open` follows the stream's first event; a page that gets `open` before any event
   * has joined a stream that was open already.
   */
  readonly onState: (state: StreamState) => void
}

type ChannelMessage =
  | { readonly kind: 'data'; readonly data: string }
  | { readonly kind: 'state'; readonly state: StreamState }
  /** Sent by a page that has just opened, to request the state. */
  | { readonly kind: 'state_request' }

/** How long a stream may be closed before the pages show that it is lost. */
const gracePeriodMs = 1000
/** The server sends the first event at once. A slow network needs less than this. */
const maxFirstEventMs = 10_000
/** A stream that works for a shorter time counts as a failure for `waitToRetry`. */
const minGoodStreamMs = 5000

/**
 * One event stream for all pages of a browser. The page that has the lock reads the stream and forwards it; when that
 * page closes, another one gets the lock and opens a stream of its own, whose first event reports the current state.
 * In a browser without locks or channels, every page has a stream of its own.
 * The returned function leaves the shared stream.
 */
export function shareStream(options: SharedStreamOptions): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  // Missing where the page is not a secure context: `http` at another address than localhost.
  const locks = navigator.locks as LockManager | null | undefined
  if (!locks || !('BroadcastChannel' in globalThis)) {
    void new StreamLeader(options, () => undefined, signal, undefined).read()
    return () => leaving.abort()
  }
  const channel = new BroadcastChannel(options.name)
  let leader: StreamLeader | undefined
  let state: StreamState | undefined
  channel.addEventListener('message', ({ data: message }: MessageEvent<ChannelMessage>) => {
    if (signal.aborted) return
    if (message.kind === 'data') options.onData(message.data)
    else if (message.kind === 'state_request') leader?.sendState()
    else if (message.state !== state) {
      // The response to a state request reaches every page.
      state = message.state
      options.onState(state)
    }
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
  const send = (message: ChannelMessage) => channel.postMessage(message)
  send({ kind: 'state_request' })
  locks
    .request(options.name, { signal }, async () => {
      leader = new StreamLeader(options, send, signal, state)
      await leader.read()
    })
    .catch((error: unknown) => {
      if (signal.aborted) return
      logError('The shared stream could not be read', error)
      options.onState('lost')
    })
  return () => {
    leaving.abort()
    channel.close()
  }
}

/** Reads the stream on behalf of every page. */
class StreamLeader {
  readonly #options: SharedStreamOptions
  readonly #send: (message: ChannelMessage) => void
  readonly #signal: AbortSignal
  #state: StreamState | undefined
  #lostTimer: ReturnType<typeof setTimeout> | undefined
  /** The number of attempts that failed one after the other. */
  #failures = 0

  /** `state` is the last state that this page received from the previous leader. */
  constructor(
    options: SharedStreamOptions,
    send: (message: ChannelMessage) => void,
    signal: AbortSignal,
    state: StreamState | undefined,
  ) {
    this.#state = state
    this.#options = options
    this.#send = send
    this.#signal = signal
  }

  sendState(): void {
    if (this.#state !== undefined) this.#send({ kind: 'state', state: this.#state })
  }

  async read(): Promise<void> {
    const { connection } = this.#options
    for (this.#failures = 0; !this.#signal.aborted; this.#failures += 1) {
      this.#lostTimer ??= setTimeout(() => this.#report('lost'), gracePeriodMs)
      const broken = new AbortController()
      const disconnect = () => broken.abort()
      // Without this, a stream could seem open long after the network was lost.
      window.addEventListener('offline', disconnect)
      const heldTimer = setTimeout(() => this.#report('held'), maxFirstEventMs)
      // A request that was sent during an outage may hang long after it, so it is aborted when the outage ends.
      const unsubscribe =
        connection && onOutageEnd(connection, () => this.#lostTimer !== undefined && disconnect())
      try {
        const stream = await this.#options.connect(AbortSignal.any([this.#signal, broken.signal]))
        if (stream === undefined) return
        await this.#forward(stream, heldTimer)
      } catch {
        // Every failure is retried; after the grace period the pages show that the stream is lost.
      } finally {
        clearTimeout(heldTimer)
        unsubscribe?.()
        window.removeEventListener('offline', disconnect)
      }
      await waitToRetry(this.#failures, this.#signal, connection)
    }
  }

  /** Passes on the events of one connection, until it ends or breaks. */
  async #forward(
    { response, restartTimeout, stopTimeout }: ConnectedStream,
    heldTimer: ReturnType<typeof setTimeout>,
  ): Promise<void> {
    const startedAt = Date.now()
    // The last event, or a proper end. A connection that breaks may have been dead for long.
    let workedUntil = startedAt
    try {
      if (!response.ok) {
        // The response shows that no proxy holds the stream back.
        if (this.#state === 'held') this.#report('lost')
        return
      }
      for await (const data of readSse(response)) {
        if (this.#signal.aborted) return
        workedUntil = Date.now()
        restartTimeout()
        clearTimeout(heldTimer)
        clearTimeout(this.#lostTimer)
        this.#lostTimer = undefined
        this.#options.onData(data)
        this.#send({ kind: 'data', data })
        this.#report('open')
      }
      workedUntil = Date.now()
    } finally {
      stopTimeout()
      if (workedUntil - startedAt > minGoodStreamMs) this.#failures = 0
    }
  }

  #report(state: StreamState): void {
    if (this.#state === state || this.#signal.aborted) return
    this.#state = state
    this.#options.onState(state)
    this.#send({ kind: 'state', state })
  }
}
