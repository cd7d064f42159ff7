import type { Config } from '../../config/config.ts'
import { listModelNames } from './model-names.ts'
import { findPackageFacts, type ModelFacts } from './package-facts.ts'

export interface ModelQuery {
  /** The model's name at its provider. */
  readonly model: string
  /** Where the model is called; null for the built-in demo model. */
  readonly address: string | null
  /** Milliseconds since 1970. Some prices change with the date or the time of the day. */
  readonly time: number
  /** The context window in the provider's own list of models. */
  readonly listedWindow?: number | undefined
}

/**
 * Returns the context window and the prices of a model: those that the operator has set, else the window in the
 * provider's list, else the shipped ones. An unknown model has neither.
 */
export async function findModelFacts(
  { modelPrices }: Pick<Config, 'modelPrices'>,
  { model, address, time, listedWindow }: ModelQuery,
): Promise<ModelFacts> {
  const entry = findOperatorPrice(modelPrices, model, address)
  // An entry always has prices, so with a context window it is complete.
  if (entry?.context_window !== undefined || address === null) return toFacts(entry)
  return {
    ...(await findPackageFacts(model, address, time)),
    ...(listedWindow !== undefined && { contextWindow: listedWindow }),
    ...toFacts(entry),
  }
}

type OperatorPrice = Config['modelPrices'][number]

/**
 * The operator's entry with the most exact name. Among entries of one name, one for the address takes precedence over
 * one for all addresses.
 */
function findOperatorPrice(
  prices: Config['modelPrices'],
  model: string,
  address: string | null,
): OperatorPrice | undefined {
  for (const name of prices.length === 0 ? [] : listModelNames(model)) {
    const named = prices.filter((price) => price.model.toLowerCase() === name)
    const entry =
      named.find(({ base_url }) => base_url !== undefined && isAt(address, base_url)) ??
      named.find(({ base_url }) => base_url === undefined)
    if (entry !== undefined) return entry
  }
  return undefined
}

function isAt(address: string | null, baseUrl: string): boolean {
  return address !== null && withSlash(address).startsWith(withSlash(baseUrl))
}

function withSlash(address: string): string {
  const { href } = new URL(address)
  return href.endsWith('/') ? href : `${href}/`
}

function toFacts(entry: OperatorPrice | undefined): ModelFacts {
  if (entry === undefined) return {}
  const { currency, input, output, cached_input, cache_write, context_window } = entry
  return {
    ...(context_window !== undefined && { contextWindow: context_window }),
    prices: {
      currency,
      input,
      output,
      ...(cached_input !== undefined && { cachedInput: cached_input }),
      ...(cache_write !== undefined && { cacheWrite: cache_write }),
    },
  }
}
