import type { RunState } from '@yonder/contract/apply-event'
import { endMarker } from '@yonder/contract/completion'
import type { UnnumberedEvent } from '@yonder/contract/completion'
import type { ErrorDetail } from '@yonder/contract/error'
import type { Db } from '../../db/database.ts'
import { sseFrame } from '../../http/sse.ts'

/** Characters of one text event; more than one read of a fast stream brings is cut into several. */
const longestText = 16_384

/** Is run in the transaction of the event that it came with; `run` is what readers will see after it. */
export type EventWrite = (trx: Db, run: RunState) => Promise<void>

export interface WrittenEvent {
  readonly seq: number
  readonly json: string
  /** True for the event that ends the run. */
  readonly last: boolean
}

/** A reader of a run that this process writes. */
export interface RunListener {
  /** The last event that it has. */
  readonly after: number
  /** Wants `id:` lines. */
  readonly numbered: boolean
  onFrames(frames: string): void
  /** The last frames: nothing more comes. */
  onEnd(frames: string): void
}

/** Hears what a run says before it is framed. */
export interface RunWatcher {
  onEvents(events: readonly WrittenEvent[]): void
  /** This process has lost the run and hears no more of it. */
  onLost(): void
}

type TextKind = 'text' | 'reasoning'

/** What a source adds to a run: text of the reply, or an event. */
export type RunChunk =
  | { readonly type: TextKind; readonly text: string }
  | { readonly type: 'event'; readonly event: UnnumberedEvent }

/** Where a recorder pulls a reply from. */
export interface RunSource {
  /** Returns what came in since the last call, in order. */
  drain(): readonly RunChunk[]
}

/** What one run says, on its way into the log (`run-log.ts`) and from there to its readers. */
export class RunRecorder {
  readonly runId: number
  /** What is committed and was shown. */
  state: RunState
  /** Since when commits fail, in milliseconds since 1970. */
  failingSince: number | undefined
  /** True once the end was added: from then on the log finds out whether the run was still ours. */
  ending = false
  readonly #wake: (recorder: RunRecorder, hurry: boolean) => void
  /** Resolves when the run's end was committed and shown, or when the run was lost. */
  readonly closed: Promise<void>
  #close: () => void = () => undefined
  #onLost: () => void = () => undefined
  readonly #listeners = new Set<RunListener>()
  readonly #watchers = new Set<RunWatcher>()
  #events: UnnumberedEvent[] = []
  #writes: EventWrite[] = []
  #tail = ''
  #tailKind: TextKind = 'text'
  #waiting = false
  #source: RunSource | undefined
  /** Events that were taken and are not shown yet. */
  #taken = 0
  #settling: { readonly seq: number; readonly resolve: () => void }[] = []
  readonly #begun = new Set<TextKind>()
  #lost = false

  constructor(runId: number, state: RunState, wake: (recorder: RunRecorder, hurry: boolean) => void) {
    this.runId = runId
    this.state = state
    this.#wake = wake
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  /** Adds text to the reply; consecutive chunks become one event. */
  append(kind: TextKind, text: string): void {
    this.#announce(this.#appendText(kind, text))
  }

  /** From now on a reply is pulled from `source`: when `onReadable` asks for it, and before each commit. */
  readFrom(source: RunSource): void {
    this.#source = source
  }

  /**
   * Called when data is waiting in the source. Before the first text it is pulled at once; after that just before the
   * next commit, together with the data of other runs.
   */
  onReadable(isFull: boolean): void {
    if (isFull || !this.#begun.has('text')) this.pull()
    else this.#announce(false)
  }

  /** Adds what is waiting in the source. */
  pull(): void {
    const chunks = this.#source?.drain() ?? []
    if (chunks.length > 0) this.#announce(this.#addChunks(chunks))
  }

  /** Pulls for the last time. */
  endReading(): void {
    this.pull()
    this.#source = undefined
  }

  /** Adds an event, with what must be committed together with it. Nothing follows on the end of a run. */
  add(event: UnnumberedEvent, write?: EventWrite): void {
    if (this.ending) return
    this.#addEvent(event)
    if (write !== undefined) this.#writes.push(write)
    this.#announce(event.type === 'ended')
  }

  /** Resolves when everything said so far is committed and shown, without waiting for more to come, or the run is lost. */
  settled(): Promise<void> {
    this.#sealTail()
    const seq = this.state.seq + this.#taken + this.#events.length
    if (this.#lost || seq === this.state.seq) return Promise.resolve()
    this.#announce(true)
    return new Promise((resolve) => this.#settling.push({ seq, resolve }))
  }

  /** From now on `listener` gets what comes; it must have everything that was shown (`state.seq`). */
  attach(listener: RunListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** From now on `watcher` hears everything that is shown after `state`. */
  watch(watcher: RunWatcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Called when the run was lost: it is not worth going on. */
  onLost(listener: () => void): void {
    this.#onLost = listener
  }

  /** For the log: everything since the last call. */
  take(): { events: UnnumberedEvent[]; writes: EventWrite[] } {
    this.#addChunks(this.#source?.drain() ?? [])
    this.#sealTail()
    const taken = { events: this.#events, writes: this.#writes }
    this.#events = []
    this.#writes = []
    this.#waiting = false
    this.#taken = taken.events.length
    return taken
  }

  /** For the log: what could not be committed goes before what came meanwhile. */
  putBack(events: readonly UnnumberedEvent[], writes: readonly EventWrite[]): void {
    this.#sealTail()
    this.#events = [...events, ...this.#events]
    this.#writes = [...writes, ...this.#writes]
    this.#taken = 0
    this.#waiting = true
  }

  /** For the log: these are committed; every reader gets the same frames, made once. */
  show(events: readonly WrittenEvent[], state: RunState): void {
    this.failingSince = undefined
    this.state = state
    this.#taken = 0
    if (this.#settling.length > 0) this.#settle(state.seq)
    const ended = events.at(-1)?.last === true
    if (this.#listeners.size > 0) this.#send(events, ended)
    for (const watcher of this.#watchers) watcher.onEvents(events)
    if (ended) this.#watchers.clear()
    if (ended) this.#close()
  }

  #send(events: readonly WrittenEvent[], ended: boolean): void {
    const before = events[0]?.seq ?? 0
    let plain: string | undefined
    let numbered: string | undefined
    for (const listener of this.#listeners) {
      let frames: string
      if (listener.after >= before) frames = toFrames(skip(events, listener.after), listener.numbered)
      else if (listener.numbered) frames = numbered ??= toFrames(events, true)
      else frames = plain ??= toFrames(events, false)
      if (ended) listener.onEnd(frames)
      else listener.onFrames(frames)
    }
    if (ended) this.#listeners.clear()
  }

  /** For the log: another node holds the run, or nothing can be stored. Nothing more is written or shown. */
  lose(reason: ErrorDetail): void {
    if (this.#lost) return
    this.#lost = true
    const frame = sseFrame(JSON.stringify({ error: reason }))
    for (const listener of this.#listeners) listener.onEnd(frame)
    this.#listeners.clear()
    for (const watcher of this.#watchers) watcher.onLost()
    this.#watchers.clear()
    this.#onLost()
    this.#settle(Infinity)
    this.#close()
  }

  #settle(shown: number): void {
    const settling = this.#settling
    this.#settling = settling.filter(({ seq }) => seq > shown)
    for (const { seq, resolve } of settling) if (seq <= shown) resolve()
  }

  /** True when a text is the first of its kind in this reply: readers wait for it. */
  #addChunks(chunks: readonly RunChunk[]): boolean {
    let hurry = false
    for (const chunk of chunks) {
      if (chunk.type === 'event') this.#addEvent(chunk.event)
      else if (this.#appendText(chunk.type, chunk.text)) hurry = true
    }
    return hurry
  }

  #addEvent(event: UnnumberedEvent): void {
    this.#sealTail()
    this.#events.push(event)
    if (event.type === 'ended') this.ending = true
    // The first text of the next reply is as urgent as that of this one.
    if (event.type === 'reply') this.#begun.clear()
  }

  #appendText(kind: TextKind, text: string): boolean {
    if (kind !== this.#tailKind || this.#tail.length > longestText) this.#sealTail()
    this.#tailKind = kind
    this.#tail += text
    if (this.#begun.has(kind)) return false
    this.#begun.add(kind)
    return true
  }

  #announce(hurry: boolean): void {
    if (this.#lost || (this.#waiting && !hurry)) return
    this.#waiting = true
    this.#wake(this, hurry)
  }

  #sealTail(): void {
    if (this.#tail === '') return
    this.#events.push(
      this.#tailKind === 'text'
        ? { type: 'text', choices: [{ delta: { content: this.#tail } }] }
        : { type: 'reasoning', choices: [{ delta: { reasoning_content: this.#tail } }] },
    )
    this.#tail = ''
  }
}

function skip(events: readonly WrittenEvent[], after: number): readonly WrittenEvent[] {
  return events.filter((event) => event.seq > after)
}

/** The lines of the stream; the end marker follows the last event of a run (§7.31). */
export function toFrames(events: readonly WrittenEvent[], numbered: boolean): string {
  let frames = ''
  for (const { seq, json, last } of events) {
    frames += sseFrame(json, numbered ? seq : undefined)
    if (last) frames += sseFrame(endMarker)
  }
  return frames
}
