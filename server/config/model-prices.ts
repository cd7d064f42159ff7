import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { strictFields } from './setting-values.ts'

/** Thousands of times the highest price of any known model, so that a currency with small units fits as well. */
const maxPrice = 10_000_000
const maxDecimals = 6

/** The price of a million tokens. Prices with more decimals could not be added up exactly. */
const price = z
  .number('must be a price for a million tokens, as a number')
  .min(0, 'must not be negative')
  .max(maxPrice, `must be at most ${maxPrice.toLocaleString('en')}`)
  .refine(hasFewDecimals, `must have at most ${maxDecimals} decimals`)

function hasFewDecimals(value: number): boolean {
  return Number(value.toFixed(maxDecimals)) === value
}

const currency = z
  .string()
  .refine(isCurrency, 'must be a currency of ISO 4217 in capitals, such as USD or EUR')
  .default('USD')

function isCurrency(code: string): boolean {
  return Intl.supportedValuesOf('currency').includes(code)
}

/** The prices that the operator sets for a model, for a million tokens, and its context window. */
const ModelPrice = strictFields({
  /** Matches names as `models/catalogue/model-names.ts` lists them. */
  model: z.string().trim().min(1).max(300),
  /** With it, the entry applies only to models at this address. */
  base_url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  currency,
  input: price,
  output: price,
  /** Input that the provider read from its cache; by default the price of input. */
  cached_input: price.optional(),
  /** Input that the provider wrote to its cache; by default the price of input. */
  cache_write: price.optional(),
  context_window: z.int().min(1_000).max(100_000_000).optional(),
})

const ModelPrices = z.array(ModelPrice, 'must be a list of models').superRefine((models, context) => {
  const keys = models.map(({ model, base_url }) => JSON.stringify([model.toLowerCase(), base_url ?? null]))
  for (const [index, { model }] of models.entries()) {
    if (keys.indexOf(keys[index] ?? '') === index) continue
    context.addIssue({ code: 'custom', path: [index, 'model'], message: `occurs twice: "${model}"` })
  }
})

export type ModelPrice = z.infer<typeof ModelPrice>

/** Prices of models: a JSON list, or the path of a file with one. */
export const modelPrices = z
  .string()
  .transform((text, context): unknown => {
    const fromFile = !/^\s*[[{"]/.test(text)
    try {
      return JSON.parse(fromFile ? readFileSync(text, 'utf8').replace(/^\uFEFF/, '') : text)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
      const message =
        code === '' ? 'names a file without a JSON list of models' : `names a file that cannot be read${code}`
      context.addIssue({
        code: 'custom',
        message: fromFile ? message : 'must be a JSON list of models, or the path of a file with one',
      })
      return z.NEVER
    }
  })
  .pipe(ModelPrices)
