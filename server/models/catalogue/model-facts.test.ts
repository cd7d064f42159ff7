import { expect, it, vi } from 'vitest'
import type { Config } from '../../config/config.ts'
import { findModelFacts } from './model-facts.ts'

const time = Date.UTC(2026, 10, 24, 12)
const find = (model: string, address: string | null, modelPrices: Config['modelPrices'] = []) =>
  findModelFacts({ modelPrices }, { model, address, time })

const anthropic = 'https://api.anthropic.com/v1'
const openRouter = 'https://openrouter.ai/api/v1'
const unknown = 'https://models.example.com/v1'

it('returns the windows and prices of models at their providers, without a request', async () => {
  const fetch = vi.spyOn(globalThis, 'fetch')
  expect(await find('claude-sonnet-4-5-20250929', anthropic)).toMatchObject({
    contextWindow: 200_000,
    prices: {
      currency: 'USD',
      input: 3,
      cachedInput: 0.3,
      cacheWrite: 3.75,
      output: 15,
      tiers: [{ aboveInputTokens: 200_000, input: 6, output: 22.5 }],
    },
  })
  expect(await find('openai/gpt-4o', openRouter)).toMatchObject({
    contextWindow: 128_000,
    prices: { input: 2.5, output: 10 },
  })
  expect(await find('gpt-5', 'https://api.openai.com')).toMatchObject({ contextWindow: 400_000 })
  expect(fetch).not.toHaveBeenCalled()
})

it('finds a window that the list of the provider lacks in another list', async () => {
  const google = 'https://generativelanguage.googleapis.com/v1beta'
  expect(await find('models/gemini-2.5-pro', google)).toMatchObject({
    contextWindow: 1_048_576,
    prices: { input: 1.25 },
  })
})

it('returns no price for a model at an address of an unknown provider', async () => {
  expect(await find('anthropic/claude-sonnet-4.5', unknown)).toEqual({ contextWindow: 200_000 })
  expect(await find('gpt-4o', 'http://127.0.0.1:4000/v1')).toEqual({ contextWindow: 128_000 })
})

it('returns no window for an open model, whose host has set one', async () => {
  for (const model of ['llama3.1:8b', 'gpt-oss-120b', 'qwen/qwen3-coder', 'gemma-3-27b-it'])
    expect(await find(model, unknown)).toEqual({})
})

it('returns no prices for unknown models, hostile names and the demo model', async () => {
  for (const model of ['claude-9-imaginary', '', '/', 'x'.repeat(300), '__proto__', 'constructor'])
    expect(await find(model, anthropic)).not.toHaveProperty('prices')
  expect(await find('demo', null)).toEqual({})
  expect(await find('gpt-4o', 'no address')).toEqual({ contextWindow: 128_000 })
})

it('treats a free variant as free, even when it is not listed', async () => {
  const free = { currency: 'USD', input: 0, output: 0 }
  expect((await find('meta-llama/llama-3.3-70b-instruct:free', openRouter)).prices).toEqual(free)
  expect((await find('openai/gpt-4o:free', openRouter)).prices).toEqual(free)
  expect((await find('gpt-4o:free', 'https://api.openai.com')).prices).toBeUndefined()
})

it('does not treat a listed model without a price as free', async () => {
  expect(await find('gemma-3-27b-it', 'https://generativelanguage.googleapis.com')).not.toHaveProperty(
    'prices',
  )
})

const set = (price: Partial<Config['modelPrices'][number]>): Config['modelPrices'][number] => ({
  model: 'claude-sonnet-4-5',
  currency: 'EUR',
  input: 1,
  output: 2,
  ...price,
})

it('takes the price of the operator before the shipped one', async () => {
  expect(await find('claude-sonnet-4-5', anthropic, [set({})])).toEqual({
    contextWindow: 200_000,
    prices: { currency: 'EUR', input: 1, output: 2 },
  })
  expect(await find('anthropic/Claude-Sonnet-4-5:beta', unknown, [set({})])).toMatchObject({
    prices: { input: 1 },
  })
  expect(await find('demo', null, [set({ model: 'demo', context_window: 8_000 })])).toEqual({
    contextWindow: 8_000,
    prices: { currency: 'EUR', input: 1, output: 2 },
  })
})

it('takes the price for the address before the one for all, and the exact name first', async () => {
  const prices = [
    set({}),
    set({ base_url: 'https://models.example.com', input: 5, cached_input: 4, cache_write: 6 }),
    set({ model: 'claude-sonnet-4-5-20250929', input: 9 }),
  ]
  expect((await find('claude-sonnet-4-5', unknown, prices)).prices).toMatchObject({
    input: 5,
    cachedInput: 4,
    cacheWrite: 6,
  })
  expect(
    (await find('claude-sonnet-4-5', 'https://models.example.com.evil.example/', prices)).prices,
  ).toMatchObject({ input: 1 })
  expect((await find('claude-sonnet-4-5-20250929', unknown, prices)).prices).toMatchObject({ input: 9 })
})

it("takes the window in the provider's own list before the shipped one, and the operator's before both", async () => {
  const model = 'claude-sonnet-4-5'
  const find = (modelPrices: Config['modelPrices']) =>
    findModelFacts({ modelPrices }, { model, address: anthropic, time, listedWindow: 1_000_000 })
  expect(await find([])).toMatchObject({ contextWindow: 1_000_000, prices: { input: 3 } })
  expect(await find([set({})])).toMatchObject({ contextWindow: 1_000_000, prices: { input: 1 } })
  expect(await find([set({ context_window: 8_000 })])).toMatchObject({ contextWindow: 8_000 })
})
