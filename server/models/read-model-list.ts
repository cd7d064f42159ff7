import type { ApiType } from '@yonder/contract/bot'
import { maxListedModels } from '@yonder/contract/lib/bot-limits'
import { openSecretFilters } from '../lib/hide-secret.ts'
import { isObject, parseJson } from '../lib/json-object.ts'
import { toVisibleLine } from '../lib/text.ts'
import { type ListedModel, readListedInputs, readListedModel } from './catalogue/listed-models.ts'

/** Characters of a model's name, the same limit as in a bot. */
const maxNameChars = 300
/** Models that are read of a list, the first ones. Reading a name takes some microseconds. */
const maxReadModels = 5_000

export interface ListToRead {
  readonly body: string
  readonly apiType: ApiType
  /** What must not be in a name. */
  readonly secrets: readonly string[]
}

export type ReadList =
  /** A web page, or something else that is no list. */
  | { readonly kind: 'page' | 'other' }
  | {
      readonly kind: 'read'
      /** Sorted, each once, at most `maxListedModels`. */
      readonly names: readonly string[]
      /** How many further models the list has. */
      readonly omitted: number
      /** What the list says about its models, in its order; those of which it says nothing are absent. */
      readonly described: readonly (readonly [name: string, model: ListedModel])[]
    }

/** Reads a provider's list of models. */
export function readModelList({ body, apiType, secrets }: ListToRead): ReadList {
  if (body.trimStart().startsWith('<')) return { kind: 'page' }
  const entries = entriesOf(parseJson(body))
  if (entries === undefined) return { kind: 'other' }
  const openFilter = openSecretFilters(secrets)
  const models = new Map<string, ListedModel>()
  let count = 0
  for (const entry of entries) {
    if (models.size === maxReadModels) break
    count += 1
    const name = nameOf(entry, apiType)
    // A name that repeats a secret could not be called by another one.
    const isSecret = name !== undefined && openFilter !== undefined && openFilter().hide(name) !== name
    if (name === undefined || isSecret) continue
    const read = apiType === 'anthropic' ? readListedModel : readListedInputs
    models.set(name, isObject(entry) ? read(entry) : {})
  }
  const names = [...models.keys()].sort(new Intl.Collator('en', { numeric: true }).compare)
  return {
    kind: 'read',
    names: names.slice(0, maxListedModels),
    omitted: Math.max(0, names.length - maxListedModels) + entries.length - count,
    described: [...models].filter(([, model]) => Object.keys(model).length > 0),
  }
}

/**
 * Returns the list in a parsed response. `data` is OpenAI's and Anthropic's field, `models` that of Google and Ollama.
 * Some servers send the list alone.
 */
function entriesOf(response: unknown): readonly unknown[] | undefined {
  if (Array.isArray(response)) return response
  if (!isObject(response)) return undefined
  return [response['data'], response['models']].find((list): list is unknown[] => Array.isArray(list))
}

function nameOf(entry: unknown, apiType: ApiType): string | undefined {
  const named: unknown = isObject(entry) ? (entry['id'] ?? entry['name'] ?? entry['model']) : entry
  if (typeof named !== 'string' || (apiType === 'google' && !generatesContent(entry))) return undefined
  const name = apiType === 'google' ? named.replace(/^models\//, '') : named
  // A name with invisible characters would be sent as it is, although the user cannot see what is chosen.
  return name !== '' && name.length <= maxNameChars && name === toVisibleLine(name) ? name : undefined
}

/** Google also lists models that only embed texts or make images. */
function generatesContent(entry: unknown): boolean {
  const methods = isObject(entry) ? entry['supportedGenerationMethods'] : undefined
  return !Array.isArray(methods) || methods.includes('generateContent')
}
