/**
 * What the upstream is asked to do stands in the model's name: `burst-<tokens>`, `paced-<tokens a second>-<tokens>`, or
 * `prompt-<tokens>`, which sends the first token at once and the others a moment later, as models do.
 */
export const burst = (tokens: number): string => `burst-${tokens}`
export const paced = (perSecond: number, tokens: number): string => `paced-${perSecond}-${tokens}`
export const prompt = (tokens: number): string => `prompt-${tokens}`

/** Every token of the upstream holds this once, and nothing else does. */
export const tokenMark = '§'

export interface LoadTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** One stream each. */
  readonly bodies: readonly unknown[]
}

export interface LoadPlan {
  readonly targets: readonly LoadTarget[]
  /** Streams that one target is asked for, one after the other, before it is the next one's turn; null: all at once. */
  readonly turn: number | null
  /** Milliseconds over which the starts of streams at once are spread. */
  readonly spread: number
}

/** What became of one target's streams. */
export interface LoadResult {
  readonly tokens: number
  /** Milliseconds from a request to its first token, one for each stream. */
  readonly firstToken: readonly number[]
  readonly failures: readonly string[]
}
