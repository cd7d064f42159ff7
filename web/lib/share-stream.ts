import { readSse, type ConnectedStream } from './event-stream.ts'
import { logError } from './log-error.ts'
import { waitToRetry } from './wait-to-retry.ts'

/** `lost` while it is tried again; `unavailable` where this browser or the server cannot have it. */
export type SharedStreamState = 'open' | 'lost' | 'unavailable'

export interface SharedStreamOptions {
  /** Names what is shared; the pages of one browser that say the same name share one stream. */
  readonly name: string
  /** Asks for the stream; nothing when nobody is signed in any more. */
  readonly connect: (signal: AbortSignal) => Promise<ConnectedStream | undefined>
  /** Called in every page with every event's data, in order. */
  readonly onData: (data: string) => void
  /**
   * Called in every page. `open` follows the stream's first event, so a page that is told `open` before any event has come
   * to a stream that was there already.
   */
  readonly onState: (state: SharedStreamState) => void
}

type Note =
  | { readonly kind: 'data'; readonly data: string }
  | { readonly kind: 'state'; readonly state: SharedStreamState }
  /** A page has come and wants to know the state. */
  | { readonly kind: 'ask' }

/** Milliseconds for which a stream that ended may be away before pages are told. */
const graceTime = 1000
/** Milliseconds below which a stream that ended is not tried again at once. */
const shortLife = 5000

/**
 * One event stream for all pages of a browser. The page that holds the lock reads it and passes it on; when that page
 * goes, another one gets the lock and goes on with a stream of its own, whose first event tells where it begins. Returns
 * how to leave (§10.7, §10.8).
 */
export function shareStream(options: SharedStreamOptions): () => void {
  // Missing where the page is not a secure context: `http` at another address than localhost.
  const locks = navigator.locks as LockManager | null | undefined
  if (!locks || !('BroadcastChannel' in globalThis)) {
    options.onState('unavailable')
    return () => undefined
  }
  const leaving = new AbortController()
  const { signal } = leaving
  const channel = new BroadcastChannel(options.name)
  let leader: StreamLeader | undefined
  let state: SharedStreamState | undefined
  channel.addEventListener('message', ({ data: note }: MessageEvent<Note>) => {
    if (signal.aborted) return
    if (note.kind === 'data') options.onData(note.data)
    else if (note.kind === 'ask') leader?.answer()
    else if (note.state !== state) {
      // Each page that asks is answered for all to hear.
      state = note.state
      options.onState(state)
    }
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
  const tell = (note: Note) => channel.postMessage(note)
  tell({ kind: 'ask' })
  locks
    .request(options.name, { signal }, async () => {
      leader = new StreamLeader(options, tell, signal, state)
      await leader.read()
    })
    .catch((error: unknown) => {
      if (signal.aborted) return
      logError('The shared stream could not be read', error)
      options.onState('unavailable')
    })
  return () => {
    leaving.abort()
    channel.close()
  }
}

/** The page that reads the stream for all. */
class StreamLeader {
  readonly #options: SharedStreamOptions
  readonly #tell: (note: Note) => void
  readonly #signal: AbortSignal
  #state: SharedStreamState | undefined
  #late: ReturnType<typeof setTimeout> | undefined

  /** `state` is what the page was told by the one before. */
  constructor(
    options: SharedStreamOptions,
    tell: (note: Note) => void,
    signal: AbortSignal,
    state: SharedStreamState | undefined,
  ) {
    this.#state = state
    this.#options = options
    this.#tell = tell
    this.#signal = signal
  }

  answer(): void {
    if (this.#state !== undefined) this.#tell({ kind: 'state', state: this.#state })
  }

  async read(): Promise<void> {
    for (let failures = 0; !this.#signal.aborted; failures += 1) {
      this.#late ??= setTimeout(() => this.#show('lost'), graceTime)
      const broken = new AbortController()
      const giveUp = () => broken.abort()
      // A stream without its network may look open for long.
      window.addEventListener('offline', giveUp)
      try {
        const stream = await this.#options.connect(AbortSignal.any([this.#signal, broken.signal]))
        if (stream === undefined) return
        if (await this.#pass(stream)) failures = 0
      } catch {
        // Whatever broke it, it is tried again, and the pages learn that it is lost.
      } finally {
        window.removeEventListener('offline', giveUp)
      }
      await waitToRetry(failures, this.#signal)
    }
  }

  /** Passes on what comes; true when it came for long enough to call the stream good. */
  async #pass({ response, heard, close }: ConnectedStream): Promise<boolean> {
    const begun = Date.now()
    try {
      if (response.status >= 400 && response.status < 500 && response.status !== 429)
        this.#show('unavailable')
      if (!response.ok) return false
      for await (const data of readSse(response)) {
        if (this.#signal.aborted) return false
        heard()
        clearTimeout(this.#late)
        this.#late = undefined
        this.#options.onData(data)
        this.#tell({ kind: 'data', data })
        this.#show('open')
      }
      return Date.now() - begun > shortLife
    } finally {
      close()
    }
  }

  #show(state: SharedStreamState): void {
    if (this.#state === state || this.#signal.aborted) return
    // A refusal stays one while it is tried again.
    if (this.#state === 'unavailable' && state === 'lost') return
    this.#state = state
    this.#options.onState(state)
    this.#tell({ kind: 'state', state })
  }
}
