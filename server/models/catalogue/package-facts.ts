import type { ModelInfo, Provider } from '@pydantic/genai-prices'
import { LRUCache } from 'lru-cache'
import type { ModelPrices, TokenPrices } from './cost.ts'
import { isFreeVariant, listModelNames, withoutFreeVariant } from './model-names.ts'

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

/**
 * The entries of models at addresses. Finding one compares hundreds of patterns, which every call of a model and the
 * list of bots would repeat.
 */
const entries = new LRUCache<string, Entry>({ max: 1_000 })

/** What the package contains about a model at an address. */
interface Entry {
  /** Undefined when the address belongs to no provider of the package. */
  readonly provider: Provider | undefined
  /** Null without a provider, or when the provider does not list the model. */
  readonly match: Match | null
  readonly contextWindow: number | undefined
}

interface Match {
  readonly provider: Provider
  readonly model: ModelInfo
}

/** The makers whose models have the same context window at every host. */
const makers = [
  { id: 'anthropic', names: /^claude/ },
  { id: 'openai', names: /^(?:gpt-(?!oss)|chatgpt-|o\d)/ },
  { id: 'google', names: /^gemini/ },
  { id: 'x-ai', names: /^grok/ },
] as const

/** A provider whose list has the models of many makers, and windows that are missing in a maker's own list. */
const aggregator = 'openrouter'

/**
 * Returns what the package lists. Prices are returned only for the address of a provider that it lists: elsewhere the
 * same model may have another price or none.
 */
export async function findPackageFacts(model: string, address: string, time: number): Promise<ModelFacts> {
  const genaiPrices = await load()
  const { provider, match, contextWindow } = findEntry(genaiPrices, model, address)
  const found = provider && findPrices(genaiPrices, { provider, match, model }, time)
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(found !== undefined && { prices: found }),
  }
}

function findEntry(genaiPrices: Package, model: string, address: string): Entry {
  const key = JSON.stringify([address, model])
  const known = entries.get(key)
  if (known !== undefined) return known
  const provider = genaiPrices.findProvider({ providerApiUrl: address })
  const match = provider === undefined ? null : findMatch(genaiPrices, provider, model)
  const entry = { provider, match, contextWindow: findWindow(genaiPrices, { provider, match, model }) }
  entries.set(key, entry)
  return entry
}

function findMatch(genaiPrices: Package, provider: Provider, model: string): Match | null {
  return listModelNames(model).reduce<Match | null>(
    (found, name) => found ?? genaiPrices.calcPrice({}, name, { provider }),
    null,
  )
}

interface ModelMatch extends Pick<Entry, 'provider' | 'match'> {
  readonly model: string
}

function findWindow(genaiPrices: Package, { provider: host, match, model }: ModelMatch): number | undefined {
  if (match?.model.context_window !== undefined) return match.model.context_window
  const base = withoutFreeVariant(model)
  const names = listModelNames(base)
  const maker = makers.find((one) => names.some((name) => one.names.test(name)))
  // A model of open weights has the window that its host has set, which is not known here.
  if (host === undefined && maker === undefined) return undefined
  for (const id of new Set([maker?.id ?? match?.provider.id ?? aggregator, aggregator])) {
    const provider = genaiPrices.findProvider({ providerId: id })
    const name = id === aggregator && maker !== undefined ? `${maker.id}/${names.at(-1) ?? ''}` : base
    const window = provider && findMatch(genaiPrices, provider, name)?.model.context_window
    if (window !== undefined) return window
  }
  return undefined
}

const free: ModelPrices = { currency: 'USD', input: 0, output: 0 }

function findPrices(
  genaiPrices: Package,
  { provider, match, model }: ModelMatch & { readonly provider: Provider },
  time: number,
): ModelPrices | undefined {
  if (provider.id === aggregator && isFreeVariant(model)) return free
  if (match === null) return undefined
  // Some prices change with the time, which only `calcPrice` considers. `only` lists just the model found.
  const only = { ...match.provider, models: [{ ...match.model, match: { equals: 'it' } }] }
  const listed = genaiPrices.calcPrice({}, 'it', { provider: only, timestamp: new Date(time) })?.model_price
  // A fee for each request does not depend on tokens, so the cost would be wrong.
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

/** The prices for a request with `inputTokens`; undefined unless both input and output have one. */
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
