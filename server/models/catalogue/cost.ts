import type { ModelUsage } from '../model.ts'

/** Prices for a million tokens, in units of the currency. */
export interface TokenPrices {
  readonly input: number
  readonly output: number
  /** Input that was read from the provider's cache; `input` applies without it. */
  readonly cachedInput?: number
  /** Input that was written to the provider's cache; `input` applies without it. */
  readonly cacheWrite?: number
  /** Reasoning, where it is not charged as output. */
  readonly reasoning?: number
}

export interface ModelPrices extends TokenPrices {
  /** ISO 4217. */
  readonly currency: string
  /** In ascending order. The prices of a tier apply to all tokens of a request with more input than its limit. */
  readonly tiers?: readonly (TokenPrices & { readonly aboveInputTokens: number })[]
}

/**
 * A price of 1 for a million tokens is this many trillionths of the currency's unit for each token. Prices are rounded
 * to a millionth, so that the price of a token is a whole number of trillionths.
 */
const trillionthsPerToken = 1_000_000
const trillionthsPerNano = 1_000n

/**
 * The cost of a call in billionths of the currency's unit, rounded once. Null when it is not known: without
 * prices, or when the provider did not report input or output. A cost above the largest safe integer of JavaScript
 * counts as unknown too.
 */
export function costInNanos(usage: ModelUsage, prices: ModelPrices | undefined): number | null {
  const { input_tokens: input, output_tokens: output } = usage
  if (prices === undefined || input === null || output === null) return null
  const rates = pricesFor(prices, input)
  const cached = Math.min(usage.cached_tokens ?? 0, input)
  const cacheWrite = Math.min(usage.cache_write_tokens ?? 0, input - cached)
  const reasoning = rates.reasoning === undefined ? 0 : Math.min(usage.reasoning_tokens ?? 0, output)
  const trillionths =
    multiply(input - cached - cacheWrite, rates.input) +
    multiply(cached, rates.cachedInput ?? rates.input) +
    multiply(cacheWrite, rates.cacheWrite ?? rates.input) +
    multiply(output - reasoning, rates.output) +
    multiply(reasoning, rates.reasoning ?? rates.output)
  const nanos = Number((trillionths + trillionthsPerNano / 2n) / trillionthsPerNano)
  return Number.isSafeInteger(nanos) ? nanos : null
}

function pricesFor(prices: ModelPrices, inputTokens: number): TokenPrices {
  return prices.tiers?.findLast(({ aboveInputTokens }) => inputTokens > aboveInputTokens) ?? prices
}

/** Returns the cost in trillionths of the unit, exactly, whatever the number of tokens. */
function multiply(tokens: number, price: number): bigint {
  return BigInt(tokens) * BigInt(Math.round(price * trillionthsPerToken))
}
