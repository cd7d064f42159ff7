/**
 * The model's name controls the upstream: `burst-<tokens>`, `paced-<tokens per second>-<tokens>`, or `instant-<tokens>`,
 * which sends the first token at once and the others a moment later.
 */
export const burst = (tokens: number): string => `burst-${tokens}`
export const paced = (perSecond: number, tokens: number): string => `paced-${perSecond}-${tokens}`
export const instant = (tokens: number): string => `instant-${tokens}`

/** Occurs once in every token of the upstream, and nowhere else. */
export const tokenMark = '¤'

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
   * Measures the gaps between tokens from this many milliseconds after the last start until the first stream ends. Null:
   * they are not measured, because that costs time for each token.
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
  readonly failures: readonly string[]
}
