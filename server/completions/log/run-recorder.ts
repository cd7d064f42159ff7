import type { RunState } from '@yonder/contract/apply-event'
import type { UnnumberedEvent } from '@yonder/contract/completion'
import { endMarker } from '@yonder/contract/lib/event-stream'
import { sseFrame } from '../../http/sse.ts'
import type { AppError } from '../../lib/app-error.ts'
import { firstFlattening } from '../../lib/flatten-text.ts'
import type { NumberedEvent, Urgency, EventWrite, TextKind, RunChunk, RunSource, WrittenRun } from '../run.ts'

/** A text event is closed once it has more than this many characters. Further text goes into the next event. */
const maxTextChars = 16_384

/** Consecutive events of one run, framed once for all readers. */
export class EventBatch {
  /** The end without events, for a reader that already has all stored events of the run. */
  static readonly emptyEnd = new EventBatch([], { isEnd: true, isStored: true })

  readonly events: readonly NumberedEvent[]
  /** True for the batch that ends the run. */
  readonly isEnd: boolean
  /** True when the batch was read from the database. Unless `isEnd`, more events may be stored after it. */
  readonly isStored: boolean
  #plain: string | undefined
  #numbered: string | undefined

  constructor(events: readonly NumberedEvent[], { isEnd = false, isStored = false } = {}) {
    this.events = events
    this.isEnd = isEnd
    this.isStored = isStored
  }

  static ofStored(rows: readonly { readonly seq: number; readonly event: string }[]): EventBatch {
    const isEnd = rows.at(-1)?.event.startsWith('{"type":"ended"') === true
    return new EventBatch(
      rows.map(({ seq, event }) => ({ seq, json: event })),
      { isEnd, isStored: true },
    )
  }

  /**
   * Returns the SSE frames of the events, with the end marker after the last event of a run. With `numbered`,
   * each event has an `id:` line with its number.
   */
  frames(numbered: boolean): string {
    if (numbered) return (this.#numbered ??= this.#toFrames(true))
    return (this.#plain ??= this.#toFrames(false))
  }

  /** Returns the part of the batch after event `seq`. */
  after(seq: number): EventBatch {
    const [first] = this.events
    if (first === undefined || first.seq > seq) return this
    return new EventBatch(
      this.events.filter((event) => event.seq > seq),
      this,
    )
  }

  #toFrames(numbered: boolean): string {
    let frames = ''
    for (const { seq, json } of this.events) frames += sseFrame(json, numbered ? seq : undefined)
    return this.isEnd ? frames + sseFrame(endMarker) : frames
  }
}

/** A reader of a run that this process writes. */
export interface RunSubscriber {
  onBatch(batch: EventBatch): void
  /** Called when this process has lost the run; no further batch follows. */
  onLost(error: AppError): void
}

/** The events of one run that go into one commit, with the writes that belong to them. */
export interface CollectedEvents {
  readonly events: readonly UnnumberedEvent[]
  readonly writes: readonly EventWrite[]
}

/** Collects the events of one run until the run log commits them, and passes them on to its readers afterwards. */
export class RunRecorder {
  readonly runId: number
  readonly chatId: string
  /** The state after the last committed event. */
  state: RunState
  /** The length at which the text of the open reply is flattened. */
  flattenTextAt = firstFlattening
  /** When the commits of this run began to fail, in milliseconds since 1970; undefined after a success. */
  failingSince: number | undefined
  /**
   * True once the end was added. After that, only the commit of the end shows whether this process still owned the run.
   */
  isEnding = false
  readonly #closed = Promise.withResolvers<void>()
  /** Resolves when the run's end was committed, or when the run was lost. */
  readonly closed = this.#closed.promise
  readonly #requestCommit: (recorder: RunRecorder, urgency: Urgency) => void
  readonly #subscribers = new Set<RunSubscriber>()
  #source: RunSource | undefined
  #events: UnnumberedEvent[] = []
  #writes: EventWrite[] = []
  /** Writes that wait for a commit with other writes. */
  #attached: EventWrite[] = []
  /** Text that has not been turned into an event yet. */
  #tail = ''
  #tailKind: TextKind = 'text'
  /** The kinds of text that the open reply contains so far. */
  readonly #startedKinds = new Set<TextKind>()
  /** True from the request of a commit until the run log collects the events. */
  #isScheduled = false
  /** The number of events that were collected and are not committed yet. */
  #collectedCount = 0
  #flushes: { readonly seq: number; readonly resolve: () => void }[] = []
  #lost: AppError | undefined

  constructor(
    run: Pick<WrittenRun, 'id' | 'chatId'>,
    state: RunState,
    requestCommit: (recorder: RunRecorder, urgency: Urgency) => void,
  ) {
    this.runId = run.id
    this.chatId = run.chatId
    this.state = state
    this.#requestCommit = requestCommit
  }

  /** True until the end is committed or the run is lost. */
  get isRunning(): boolean {
    return this.state.status === 'running' && this.#lost === undefined
  }

  /**
   * Adds text to the reply. Consecutive texts of one kind become one event, until a commit or `maxTextChars` ends it.
   */
  append(kind: TextKind, text: string): void {
    this.#schedule(this.#appendText(kind, text))
  }

  /** Adds an event, with a write for the same transaction. Does nothing after the end of the run. */
  add(event: UnnumberedEvent, write?: EventWrite): void {
    if (this.isEnding) return
    this.#addEvent(event)
    if (write !== undefined) this.#writes.push(write)
    // The model's first text often follows within milliseconds. A commit of the statuses alone would delay it.
    if (event.type === 'mcp_status') this.#schedule('low')
    else this.#schedule(event.type === 'ended' ? 'immediate' : 'normal')
  }

  /**
   * Adds a write that goes with the next commit that has other writes of the run, at the latest with its end. So a
   * commit of only text needs no transaction for it. Does nothing after the end of the run.
   */
  attach(write: EventWrite): void {
    if (!this.isEnding) this.#attached.push(write)
  }

  /** Sets the source from which the reply is pulled: when it is readable (see `onReadable`), and before each commit. */
  readFrom(source: RunSource): void {
    this.#source = source
  }

  /**
   * Called when the source has data. Until the reply's first text has arrived, and whenever the source `isFull`, the
   * data is pulled immediately; otherwise just before the next commit, together with the data of other runs.
   */
  onReadable(isFull: boolean): void {
    if (isFull || !this.#startedKinds.has('text')) this.#pull()
    else this.#schedule('normal')
  }

  /** Pulls the remaining data and removes the source. */
  endReading(): void {
    this.#pull()
    this.#source = undefined
  }

  /** Requests a commit of everything added so far, without delay. Resolves when it is committed or the run is lost. */
  flush(): Promise<void> {
    this.#closeText()
    const seq = this.state.seq + this.#collectedCount + this.#events.length
    if (this.#lost !== undefined || seq === this.state.seq) return Promise.resolve()
    this.#schedule('immediate')
    return new Promise((resolve) => this.#flushes.push({ seq, resolve }))
  }

  /** Passes every later commit to the subscriber. Returns a function that unsubscribes. */
  subscribe(subscriber: RunSubscriber): () => void {
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  /** Called by the run log before a commit. Returns the events added since the last call, with their writes. */
  collect(): CollectedEvents {
    this.#addChunks(this.#source?.drain() ?? [])
    this.#closeText()
    const collected = { events: this.#events, writes: this.#takeWrites() }
    this.#events = []
    this.#isScheduled = false
    this.#collectedCount = collected.events.length
    return collected
  }

  /** Called by the run log after a commit. */
  publish(batch: EventBatch, state: RunState): void {
    this.failingSince = undefined
    this.state = state
    this.#collectedCount = 0
    if (this.#flushes.length > 0) this.#resolveFlushes(state.seq)
    for (const subscriber of this.#subscribers) subscriber.onBatch(batch)
    if (!batch.isEnd) return
    this.#subscribers.clear()
    this.#closed.resolve()
  }

  /** Called when another node has taken over the run, or storing it failed. Detaches all subscribers. */
  lose(error: AppError): void {
    if (this.#lost !== undefined) return
    this.#lost = error
    for (const subscriber of this.#subscribers) subscriber.onLost(error)
    this.#subscribers.clear()
    this.#resolveFlushes(Infinity)
    this.#closed.resolve()
  }

  #takeWrites(): readonly EventWrite[] {
    if (this.#writes.length === 0) return []
    const writes = [...this.#writes, ...this.#attached]
    this.#writes = []
    this.#attached = []
    return writes
  }

  #pull(): void {
    const chunks = this.#source?.drain() ?? []
    if (chunks.length > 0) this.#schedule(this.#addChunks(chunks))
  }

  #addChunks(chunks: readonly RunChunk[]): Urgency {
    let urgency: Urgency = 'normal'
    for (const chunk of chunks) {
      if (chunk.type === 'event') {
        this.#addEvent(chunk.event)
        if (chunk.write !== undefined) this.#writes.push(chunk.write)
      } else if (this.#appendText(chunk.type, chunk.text) === 'immediate') urgency = 'immediate'
    }
    return urgency
  }

  #addEvent(event: UnnumberedEvent): void {
    this.#closeText()
    this.#events.push(event)
    if (event.type === 'ended') this.isEnding = true
    // The first text of the next reply is urgent again.
    if (event.type === 'reply') this.#startedKinds.clear()
  }

  /** The first text of its kind in the open reply is urgent. */
  #appendText(kind: TextKind, text: string): Urgency {
    if (kind !== this.#tailKind || this.#tail.length > maxTextChars) this.#closeText()
    this.#tailKind = kind
    this.#tail += text
    if (this.#startedKinds.has(kind)) return 'normal'
    this.#startedKinds.add(kind)
    return 'immediate'
  }

  #closeText(): void {
    if (this.#tail === '') return
    this.#events.push(
      this.#tailKind === 'text'
        ? { type: 'text', choices: [{ delta: { content: this.#tail } }] }
        : { type: 'reasoning', choices: [{ delta: { reasoning_content: this.#tail } }] },
    )
    this.#tail = ''
  }

  #schedule(urgency: Urgency): void {
    if (this.#lost !== undefined || (this.#isScheduled && urgency !== 'immediate')) return
    this.#isScheduled = true
    this.#requestCommit(this, urgency)
  }

  #resolveFlushes(committed: number): void {
    const flushes = this.#flushes
    this.#flushes = flushes.filter(({ seq }) => seq > committed)
    for (const { seq, resolve } of flushes) if (seq <= committed) resolve()
  }
}
