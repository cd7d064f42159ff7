/**
 * What the upstream is asked to do stands in the model's name: `burst-<tokens>`, `paced-<tokens a second>-<tokens>`, or
 * `prompt-<tokens>`, which sends the first token at once and the others a moment later, as models do.
 */
export const burst = (tokens: number): string => `burst-${tokens}`
export const paced = (perSecond: number, tokens: number): string => `paced-${perSecond}-${tokens}`
export const prompt = (tokens: number): string => `prompt-${tokens}`

/** Every token of the upstream holds this once, and nothing else does. */
export const tokenMark = '§'

export interface LoadPlan {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** One stream each, all at once. */
  readonly bodies: readonly unknown[]
  /** Milliseconds over which the starts are spread. */
  readonly spread: number
  /** True: one after the other. */
  readonly sequential: boolean
}

export interface LoadResult {
  readonly tokens: number
  /** Milliseconds from a request to its first token, one for each stream. */
  readonly firstToken: readonly number[]
  readonly failures: readonly string[]
}
