import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { ModelLimits } from './adapter.ts'
import { callProvider } from './ai-sdk/call-provider.ts'
import { anthropicFormat, googleFormat } from './ai-sdk/formats.ts'
import type { ListedModels } from './catalogue/listed-models.ts'
import type { ModelEndpoint } from './endpoint.ts'
import type { ModelStream } from './model.ts'
import { openaiChat } from './openai/chat.ts'
import { openaiResponses } from './openai/responses.ts'
import type { DialectMemory } from './upstream/dialect-memory.ts'

export interface ModelDeps {
  /** One guard for each kind of address. */
  readonly guards: Readonly<Record<ModelEndpoint['addressSource'], GuardedFetch>>
  readonly limits?: ModelLimits
  readonly dialects?: DialectMemory
  readonly listedModels?: Pick<ListedModels, 'find'>
}

/** The model behind an endpoint, called in the endpoint's wire format. */
export function openModel(endpoint: ModelEndpoint, deps: ModelDeps): ModelStream {
  const { listedModels } = deps
  const adapterDeps = {
    guard: deps.guards[endpoint.addressSource],
    ...(deps.limits === undefined ? {} : { limits: deps.limits }),
    ...(deps.dialects === undefined ? {} : { dialects: deps.dialects }),
    ...(listedModels && { findListed: (model: string) => listedModels.find(endpoint, model) }),
  }
  switch (endpoint.apiType) {
    case 'openai':
      return openaiChat(endpoint, adapterDeps)
    case 'openai-responses':
      return openaiResponses(endpoint, adapterDeps)
    case 'anthropic':
      return callProvider(endpoint, anthropicFormat, adapterDeps)
    case 'google':
      return callProvider(endpoint, googleFormat, adapterDeps)
  }
}
