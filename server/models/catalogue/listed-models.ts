import { maxListedModels } from '@yonder/contract/lib/bot-limits'
import { LRUCache } from 'lru-cache'
import { trimSlashes } from '../../lib/text.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import { listModelNames } from './model-names.ts'

/** What a provider's list says about a model. What it does not say is absent. */
export interface ListedModel {
  /** Tokens of prompt and reply together. */
  readonly contextWindow?: number
  readonly maxOutputTokens?: number
  /** How the model can be asked to think; empty when it cannot think. */
  readonly thinking?: readonly ('adaptive' | 'budget')[]
  /** The efforts that it takes, such as `high`; empty when it takes none. */
  readonly efforts?: readonly string[]
  /** Whether it reads pictures. */
  readonly images?: boolean
  /** Whether it reads PDFs as they are. */
  readonly pdf?: boolean
}

/**
 * Reads an entry of Anthropic's list (`ModelInfo` in its API reference). Older and compatible servers lack some of the
 * fields or all of them, and any may be null.
 */
export function readListedModel(entry: Readonly<Record<string, unknown>>): ListedModel {
  const contextWindow = readCount(entry['max_input_tokens'])
  const maxOutputTokens = readCount(entry['max_tokens'])
  const capabilities = fieldsOf(entry['capabilities'])
  const types = supportedOf(fieldsOf(capabilities['thinking']), 'types')
  const efforts = supportedOf(fieldsOf(capabilities['effort']))
  const images = readBoolean(fieldsOf(capabilities['image_input'])['supported'])
  const pdf = readBoolean(fieldsOf(capabilities['pdf_input'])['supported'])
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(types !== undefined && {
      thinking: [
        ...(types.includes('adaptive') ? ['adaptive' as const] : []),
        ...(types.includes('enabled') ? ['budget' as const] : []),
      ],
    }),
    ...(efforts !== undefined && { efforts }),
    ...(images !== undefined && { images }),
    ...(pdf !== undefined && { pdf }),
  }
}

/**
 * Reads what an entry of a list in OpenAI's form says of pictures and PDFs: lists of modalities (OpenRouter, GitHub,
 * xAI), of capabilities (Ollama, llama.cpp), or yes and no (Mistral, Fireworks, Moonshot; LM Studio as a type).
 */
export function readListedInputs(
  entry: Readonly<Record<string, unknown>>,
): Pick<ListedModel, 'images' | 'pdf'> {
  const modalities = [
    fieldsOf(entry['architecture'])['input_modalities'],
    entry['input_modalities'],
    entry['supported_input_modalities'],
  ].find((list) => Array.isArray(list)) as readonly unknown[] | undefined
  if (modalities !== undefined)
    return { images: modalities.includes('image'), pdf: modalities.includes('file') }
  const { capabilities } = entry
  const images = Array.isArray(capabilities)
    ? capabilities.includes('vision') || capabilities.includes('multimodal')
    : [
        fieldsOf(capabilities)['vision'],
        entry['supports_image_input'],
        entry['supports_image_in'],
        entry['supports_vision'],
        entry['type'] === 'vlm' ? true : entry['type'] === 'llm' ? false : undefined,
      ]
        .map(readBoolean)
        .find((value) => value !== undefined)
  return images === undefined ? {} : { images }
}

function readBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/**
 * The names of what a capability has and supports: an empty list when it is not supported as a whole, undefined when the
 * answer does not say. `within` is the field that has them, when it is not the capability itself.
 */
function supportedOf(
  capability: Readonly<Record<string, unknown>>,
  within?: string,
): readonly string[] | undefined {
  if (capability['supported'] === false) return []
  const kinds = Object.entries(within === undefined ? capability : fieldsOf(capability[within])).filter(
    ([, kind]) => typeof fieldsOf(kind)['supported'] === 'boolean',
  )
  if (kinds.length === 0) return undefined
  return kinds.flatMap(([name, kind]) => (fieldsOf(kind)['supported'] === true ? [name] : []))
}

function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

/** Where a list is: it is the same for all keys, and says nothing about an account. */
export type ListAddress = Pick<ModelEndpoint, 'apiType' | 'baseUrl' | 'customApiPath'>

/** Milliseconds after which a list is read again, and after which a list is that could not be read. */
const maxAgeMs = 3_600_000
const retryAfterMs = 600_000
/** Models in all lists. */
const maxModels = 20_000

type List = ReadonlyMap<string, ListedModel>

/** Remembers what the lists of providers say about their models. */
export class ListedModels {
  /** A list stays in use after its age until it was read again. */
  readonly #lists: LRUCache<string, List>

  constructor(now: () => number) {
    this.#lists = new LRUCache({
      maxSize: maxModels,
      sizeCalculation: ({ size }) => size + 1,
      ttl: maxAgeMs,
      ttlResolution: 0,
      allowStale: true,
      noDeleteOnStaleGet: true,
      perf: { now },
    })
  }

  find(address: ListAddress, model: string): ListedModel | undefined {
    const list = this.#lists.get(keyOf(address))
    return list && listModelNames(model).flatMap((name) => list.get(name) ?? [])[0]
  }

  /** Remembers a list, given as the names of its models and what it says about them. */
  remember(address: ListAddress, models: ReadonlyMap<string, ListedModel>): void {
    const described = [...models]
      .filter(([, model]) => Object.keys(model).length > 0)
      .slice(0, maxListedModels)
    const exact = described.map(([name, model]) => [name.toLowerCase(), model] as const)
    // A bot may name `claude-haiku-4-5`, which the list has with a date. The exact names win, and the newest model.
    const shorter = described
      .toReversed()
      .flatMap(([name, model]) => listModelNames(name).map((short) => [short, model] as const))
    this.#lists.set(keyOf(address), new Map([...shorter, ...exact]))
  }

  /**
   * Whether the list should be read now. Returns true once: further callers need not read it too, and a list that
   * cannot be read is tried again later.
   */
  claimRead(address: ListAddress): boolean {
    const key = keyOf(address)
    if (this.#lists.has(key)) return false
    this.#lists.set(key, this.#lists.get(key) ?? new Map(), { ttl: retryAfterMs })
    return true
  }
}

function keyOf({ apiType, baseUrl, customApiPath }: ListAddress): string {
  return JSON.stringify([apiType, trimSlashes(baseUrl.trim()), customApiPath?.trim() ?? ''])
}
