/**
 * The model's name controls the upstream: `burst-<tokens>`, `paced-<tokens per second>-<tokens>`, or `prompt-<tokens>`,
 * which sends the first token at once and the others a moment later.
 */
export const burst = (tokens: number): string => `burst-${tokens}`
export const paced = (perSecond: number, tokens: number): string => `paced-${perSecond}-${tokens}`
export const prompt = (tokens: number): string => `prompt-${tokens}`

/** Occurs once in every token of the upstream, and nowhere else. */
export const tokenMark = '§'

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
}

/** The result of one target. */
export interface LoadResult {
  readonly tokens: number
  /** Milliseconds from the request to the first token, for each stream. */
  readonly firstToken: readonly number[]
  readonly failures: readonly string[]
}

/** What `attacked-product.ts` prints when it has started. */
export interface Attacked {
  /** The product's address. */
  readonly base: string
  /** The token of the user who reads. */
  readonly token: string
  /**
   * Connects to a hostile server at `/connect?behaviour=`, or makes calls to it at `/call`. Responds with the outcomes.
   */
  readonly control: string
}
