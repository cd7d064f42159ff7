import type { ModelInfo, Provider } from '@pydantic/genai-prices'
import { LRUCache } from 'lru-cache'
import { isFreeVariant, listModelNames, withoutFreeVariant } from './model-names.ts'
import type { ModelPrices, TokenPrices } from './cost.ts'

/** What is known about a model. What is not known is absent. */
export interface ModelFacts {
  /** Tokens of prompt and reply together. */
  readonly contextWindow?: number
  readonly prices?: ModelPrices
}

/** Loaded on the first use, because its data takes 55 ms of CPU time and 3 MB. It makes no request. */
let loaded: Promise<Package> | undefined
const load = () => (loaded ??= import('@pydantic/genai-prices'))
type Package = typeof import('@pydantic/genai-prices')

/** Matching looks through some fifty patterns, and each call of a model needs its provider several times. */
const providers = new LRUCache<string, { readonly provider: Provider | undefined }>({ max: 1_000 })

/** Matching looks through up to 700 patterns, and the page asks for every bot. */
const matches = new LRUCache<string, { readonly match: Match | null }>({ max: 1_000 })

interface Match {
  readonly provider: Provider
  readonly model: ModelInfo
}

/** The makers of models that others do not host with a smaller window, in the order of the look-up. */
const makers = [
  { id: 'anthropic', names: /^claude/ },
  { id: 'openai', names: /^(?:gpt-(?!oss)|chatgpt-|o\d)/ },
  { id: 'google', names: /^gemini/ },
  { id: 'x-ai', names: /^grok/ },
] as const

/** A provider whose list has the models of many makers, and windows that are missing in a maker's own list. */
const aggregator = 'openrouter'

/**
 * Returns what the package knows. It knows prices only at the address of a known provider: elsewhere the same model may
 * have another price or none (§25.1).
 */
export async function findPackageFacts(
  model: string,
  address: string | null,
  time: number,
): Promise<ModelFacts> {
  const prices = await load()
  const provider = address === null ? undefined : findProvider(prices, address)
  const match = provider && findMatch(prices, provider, model)
  const contextWindow = findWindow(prices, match, model)
  const found = provider && findPrices(prices, { provider, match, model }, time)
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(found !== undefined && { prices: found }),
  }
}

function findProvider(prices: Package, address: string): Provider | undefined {
  const known = providers.get(address)
  if (known !== undefined) return known.provider
  const provider = prices.findProvider({ providerApiUrl: address })
  providers.set(address, { provider })
  return provider
}

function findMatch(prices: Package, provider: Provider, model: string): Match | null {
  const key = JSON.stringify([provider.id, model])
  const known = matches.get(key)
  if (known !== undefined) return known.match
  const match = listModelNames(model).reduce<Match | null>(
    (found, name) => found ?? prices.calcPrice({}, name, { provider }),
    null,
  )
  matches.set(key, { match })
  return match
}

function findWindow(prices: Package, match: Match | null | undefined, model: string): number | undefined {
  if (match?.model.context_window !== undefined) return match.model.context_window
  const base = withoutFreeVariant(model)
  const names = listModelNames(base)
  const maker = makers.find((one) => names.some((name) => one.names.test(name)))
  // A model of open weights has the window that its host has set, which is not known here.
  if (match === undefined && maker === undefined) return undefined
  const ids = maker === undefined ? [match?.provider.id ?? aggregator] : [maker.id]
  for (const id of [...ids, aggregator]) {
    const provider = prices.findProvider({ providerId: id })
    const name = id === aggregator && maker !== undefined ? `${maker.id}/${names.at(-1) ?? ''}` : base
    const window = provider && findMatch(prices, provider, name)?.model.context_window
    if (window !== undefined) return window
  }
  return undefined
}

interface PriceQuery {
  readonly provider: Provider
  readonly match: Match | null | undefined
  readonly model: string
}

const free: ModelPrices = { currency: 'USD', input: 0, output: 0 }

function findPrices(
  prices: Package,
  { provider, match, model }: PriceQuery,
  time: number,
): ModelPrices | undefined {
  if (provider.id === aggregator && isFreeVariant(model)) return free
  if (!match) return undefined
  // Some prices change with the time, which only `calcPrice` considers. This provider has only the model found.
  const only = { ...match.provider, models: [{ ...match.model, match: { equals: 'it' } }] }
  const listed = prices.calcPrice({}, 'it', { provider: only, timestamp: new Date(time) })?.model_price
  // A fee for each request is not in a count of tokens, so the cost would be wrong.
  if (listed === undefined || listed['requests_kcount'] !== undefined) return undefined
  const base = readPrices(listed, 0)
  if (base === undefined) return undefined
  const starts = new Set(
    Object.values(listed).flatMap((price) =>
      typeof price === 'object' ? price.tiers.map(({ start }) => start) : [],
    ),
  )
  const tiers = [...starts]
    .toSorted((one, other) => one - other)
    .flatMap((start) => {
      const tier = readPrices(listed, start + 1)
      return tier === undefined ? [] : [{ aboveInputTokens: start, ...tier }]
    })
  return { currency: 'USD', ...base, ...(tiers.length > 0 && { tiers }) }
}

type ListedPrices = NonNullable<ReturnType<Package['calcPrice']>>['model_price']

/** The prices for a request with so many input tokens; undefined unless both input and output have one. */
function readPrices(listed: ListedPrices, inputTokens: number): TokenPrices | undefined {
  const read = (key: string): number | undefined => {
    const price = listed[key]
    if (price === undefined || typeof price === 'number') return price
    return price.tiers.findLast(({ start }) => inputTokens > start)?.price ?? price.base
  }
  const [input, output] = [read('input_mtok'), read('output_mtok')]
  if (input === undefined || output === undefined) return undefined
  const [cachedInput, cacheWrite] = [read('cache_read_mtok'), read('cache_write_mtok')]
  const reasoning = read('output_reasoning_mtok')
  return {
    input,
    output,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(reasoning !== undefined && { reasoning }),
  }
}
