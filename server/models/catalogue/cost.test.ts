import { calcPrice } from '@pydantic/genai-prices'
import { expect, it } from 'vitest'
import type { ModelUsage } from '../model.ts'
import { costInNanos } from './cost.ts'
import { findModelFacts } from './model-facts.ts'

const prices = { currency: 'USD', input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 }

it.each<[string, ModelUsage, number]>([
  ['one token', { input_tokens: 1, output_tokens: 0 }, 3_000],
  ['input and output', { input_tokens: 1_000, output_tokens: 100 }, 4_500_000],
  ['cached input', { input_tokens: 1_000, output_tokens: 0, cached_tokens: 900 }, 570_000],
  [
    'cache writes',
    { input_tokens: 1_000, output_tokens: 0, cached_tokens: 100, cache_write_tokens: 900 },
    3_405_000,
  ],
  ['more cached than input', { input_tokens: 10, output_tokens: 0, cached_tokens: 1_000 }, 3_000],
  ['reasoning, which is output', { input_tokens: 0, output_tokens: 10, reasoning_tokens: 8 }, 150_000],
  ['nothing', { input_tokens: 0, output_tokens: 0 }, 0],
])('charges %s', (_name, tokens, nanos) => {
  expect(costInNanos(tokens, prices)).toBe(nanos)
})

it('rounds once, half up, and exactly where binary fractions are not', () => {
  const small = { currency: 'USD', input: 0.0005, output: 0.0003 }
  expect(costInNanos({ input_tokens: 1, output_tokens: 0 }, small)).toBe(1)
  expect(costInNanos({ input_tokens: 1, output_tokens: 1 }, small)).toBe(1)
  expect(
    costInNanos({ input_tokens: 3, output_tokens: 0 }, { currency: 'USD', input: 0.1, output: 0.2 }),
  ).toBe(300)
})

it('returns no cost without a price, a count or an exact number', () => {
  expect(costInNanos({ input_tokens: 1, output_tokens: 1 }, undefined)).toBeNull()
  expect(costInNanos({ input_tokens: null, output_tokens: 1 }, prices)).toBeNull()
  expect(costInNanos({ input_tokens: 1, output_tokens: null }, prices)).toBeNull()
  expect(costInNanos({ input_tokens: 10 ** 15, output_tokens: 0 }, prices)).toBeNull()
})

it('takes the prices of the tier that the input reaches for all tokens', () => {
  const tiered = { ...prices, tiers: [{ aboveInputTokens: 200_000, input: 6, output: 22.5 }] }
  expect(costInNanos({ input_tokens: 200_000, output_tokens: 1 }, tiered)).toBe(600_015_000)
  expect(costInNanos({ input_tokens: 200_001, output_tokens: 1 }, tiered)).toBe(1_200_028_500)
})

it.each([
  ['claude-sonnet-4-5', 'https://api.anthropic.com/v1'],
  ['gpt-5', 'https://api.openai.com/v1'],
  ['gemini-2.5-pro', 'https://generativelanguage.googleapis.com/v1beta'],
  ['deepseek-chat', 'https://api.deepseek.com'],
])('agrees with the package about %s, below and above its tiers', async (model, address) => {
  const time = Date.UTC(2026, 10, 24, 12)
  const facts = await findModelFacts({ modelPrices: [] }, { model, address, time })
  for (const input of [10, 200_000, 200_001, 900_000]) {
    const usage = { input_tokens: input, cache_read_tokens: 7, output_tokens: 1_234 }
    const options = { providerApiUrl: address, timestamp: new Date(time) }
    const theirs = calcPrice(usage, model, options)?.total_price ?? Number.NaN
    expect(costInNanos({ input_tokens: input, cached_tokens: 7, output_tokens: 1_234 }, facts.prices)).toBe(
      Math.round(theirs * 1e9),
    )
  }
})
