import type { ModelUsage } from '../models/model.ts'

/**
 * Tokens of one call. No model has a window of this size, so a larger figure is an error of the provider. The limit
 * also keeps every sum an exact number.
 */
const maxTokens = 100_000_000

/** Counts that can be stored; null for what is missing or not credible. */
export interface TokenCounts {
  readonly input: number | null
  readonly output: number | null
  readonly cached: number | null
  readonly cacheWrite: number | null
  readonly reasoning: number | null
}

/** Converts what a provider reported. A part is never larger than its whole. */
export function toTokenCounts(usage: ModelUsage | undefined): TokenCounts {
  const input = toCount(usage?.inputTokens)
  const output = toCount(usage?.outputTokens)
  return {
    input,
    output,
    cached: atMost(toCount(usage?.cachedTokens), input),
    cacheWrite: atMost(toCount(usage?.cacheWriteTokens), input),
    reasoning: atMost(toCount(usage?.reasoningTokens), output),
  }
}

function toCount(tokens: number | null | undefined): number | null {
  return Number.isInteger(tokens) && Number(tokens) >= 0 && Number(tokens) <= maxTokens
    ? Number(tokens)
    : null
}

function atMost(part: number | null, whole: number | null): number | null {
  return part === null || whole === null ? part : Math.min(part, whole)
}
