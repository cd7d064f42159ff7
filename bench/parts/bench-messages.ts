/**
 * The model's name controls the upstream: `burst-<tokens>`, `paced-<tokens per second>-<tokens>`, `timed-…`, which is
 * paced and puts the time into each token, or `instant-<tokens>`, which sends the first token at once and the others a
 * moment later.
 */
export const burst = (tokens: number): string => `burst-${tokens}`
export const paced = (perSecond: number, tokens: number): string => `paced-${perSecond}-${tokens}`
export const timed = (perSecond: number, tokens: number): string => `timed-${perSecond}-${tokens}`
export const instant = (tokens: number): string => `instant-${tokens}`

/** Occurs once in every token of the upstream, and nowhere else. */
export const tokenMark = '¤'

/** Microseconds by a clock that all processes of a machine share. */
export const sharedClock = (): number => Number(process.hrtime.bigint() / 1000n)

export interface LoadTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** One stream each. */
  readonly bodies: readonly unknown[]
}

export interface LoadPlan {
  readonly targets: readonly LoadTarget[]
  /** The number of streams in sequence for one target before the next target. Null: all streams at once. */
  readonly turn: number | null
  /** With all streams at once, their starts are spread over this time. */
  readonly spreadMs: number
  /**
   * Measures the gaps and delays of tokens from this many milliseconds after the last start until the first stream
   * ends. Null: they are not measured, because that costs time for each token.
   */
  readonly settleMs: number | null
}

/** The result of one target. */
export interface LoadResult {
  readonly tokens: number
  /** Milliseconds from the request to the first token, for each stream. */
  readonly firstToken: readonly number[]
  /** Milliseconds between two arrivals of text in one stream. */
  readonly gaps: readonly number[]
  /** Milliseconds from the upstream to the reader, for each token of a `timed` model. */
  readonly delays: readonly number[]
  readonly failures: readonly string[]
}

/** What `attacked-product.ts` prints when it has started. */
export interface AttackedProduct {
  /** The product's address. */
  readonly base: string
  /** The token of the user who reads. */
  readonly token: string
  /**
   * Connects to a hostile server at `/connect?behaviour=`, or makes calls to it at `/call`: as many as `count=` says.
   * Responds with the outcomes.
   * `/longest-turn` responds with the most processor time of a turn of the event loop, since the last such request.
   */
  readonly control: string
}
