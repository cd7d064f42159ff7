/** What the upstream is asked to do; it stands in the model's name: `burst-<tokens>` or `paced-<tokens a second>-<tokens>`. */
export const burst = (tokens: number): string => `burst-${tokens}`
export const paced = (perSecond: number, tokens: number): string => `paced-${perSecond}-${tokens}`

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
