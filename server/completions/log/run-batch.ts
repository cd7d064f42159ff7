import { endMarker } from '@yonder/contract/completion'
import { sseFrame } from '../../http/sse.ts'

export interface NumberedEvent {
  readonly seq: number
  readonly json: string
}

/** Committed events of one run, framed once for all readers. */
export class RunBatch {
  /** Ends a stream whose reader already has all events of the run. */
  static readonly ofEnd = new RunBatch([], { isEnd: true, isStored: true })

  readonly events: readonly NumberedEvent[]
  /** True for the batch that ends the run. */
  readonly isEnd: boolean
  /** True when the batch was read from the database, which may contain further events. */
  readonly isStored: boolean
  #plain: string | undefined
  #numbered: string | undefined

  constructor(events: readonly NumberedEvent[], { isEnd = false, isStored = false } = {}) {
    this.events = events
    this.isEnd = isEnd
    this.isStored = isStored
  }

  static ofStored(rows: readonly { readonly seq: number; readonly event: string }[]): RunBatch {
    const isEnd = rows.at(-1)?.event.startsWith('{"type":"ended"') === true
    return new RunBatch(
      rows.map(({ seq, event }) => ({ seq, json: event })),
      { isEnd, isStored: true },
    )
  }

  /** The SSE frames of the events, with the end marker after the last event of a run (§7.31). */
  frames(numbered: boolean): string {
    if (numbered) return (this.#numbered ??= this.#toFrames(true))
    return (this.#plain ??= this.#toFrames(false))
  }

  /** The part of the batch that comes after event `seq`. */
  after(seq: number): RunBatch {
    const [first] = this.events
    if (first === undefined || first.seq > seq) return this
    return new RunBatch(
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
