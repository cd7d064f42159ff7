import type { AnthropicProvider } from '@ai-sdk/anthropic'
import type { ApiType } from '@yonder/contract/bot'
import type { ListedModel } from '../catalogue/listed-models.ts'
import type { ModelOptions, ModelRequest } from '../model.ts'
import { anthropicCacheMark, findRefusedOption, writeAnthropicOptions } from './anthropic-options.ts'
import { writeGoogleOptions } from './google-options.ts'
import type { ProviderOptions, WrittenOptions } from './write-prompt.ts'

/** A model of a provider package; all packages share this type. */
export type ProviderModel = ReturnType<AnthropicProvider['languageModel']>

/** The differences between the provider packages. */
export interface ProviderFormat {
  readonly name: ApiType
  /** The path appended to the base address when the endpoint has no path of its own. */
  defaultPath(model: string): string
  readonly keyHeader: string
  /** Whether the package can read events of this name. An event without a name is a `message`. */
  readonly readsEvent: (name: string) => boolean
  /** `source` names the upstream (`noteSource`), and `listed` is what its list says about the model. */
  writeOptions(request: ModelRequest, source: string, listed: ListedModel): WrittenOptions
  /** An option of the request that the model refuses by what the list says. */
  readonly findRefused?: (request: ModelRequest, listed: ListedModel) => keyof ModelOptions | undefined
  /** Marks the end of a prefix of the prompt for the provider's cache; undefined when it caches without marks. */
  readonly cacheMark?: ProviderOptions
  /**
   * Opens the package's model. The packages require an `apiKey` even when there is none to send. A package is loaded
   * with the first call, because most installations do not use it and it takes 80 ms and 12 MB.
   */
  open(
    model: string,
    settings: { apiKey: string; baseURL: string; fetch: typeof fetch },
  ): Promise<ProviderModel>
}

/** The package refuses a reply with events of other names, although Anthropic may add some. */
const anthropicEvents: readonly string[] = [
  'message',
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'error',
]

/** Anthropic's Messages API. Its own base address is `https://api.anthropic.com/v1`. */
export const anthropicFormat: ProviderFormat = {
  name: 'anthropic',
  defaultPath: () => '/messages',
  keyHeader: 'x-api-key',
  readsEvent: (name) => anthropicEvents.includes(name),
  writeOptions: writeAnthropicOptions,
  findRefused: findRefusedOption,
  cacheMark: anthropicCacheMark,
  async open(model, settings) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(settings).languageModel(model)
  },
}

/** Google's generateContent. Its own base address is `https://generativelanguage.googleapis.com/v1beta`. */
export const googleFormat: ProviderFormat = {
  name: 'google',
  // A name with a slash includes the kind of model, for example `tunedModels/mine`.
  defaultPath: (model) => `/${model.includes('/') ? model : `models/${model}`}:streamGenerateContent?alt=sse`,
  keyHeader: 'x-goog-api-key',
  readsEvent: () => true,
  writeOptions: writeGoogleOptions,
  async open(model, settings) {
    const { createGoogle } = await import('@ai-sdk/google')
    return createGoogle(settings).languageModel(model)
  },
}
