import { createAnthropic } from '@ai-sdk/anthropic'
import type { AdapterDeps } from '../adapter-deps.ts'
import { askProvider } from './ask-provider.ts'
import type { ModelEndpoint } from '../model-endpoint.ts'
import type { ModelStream } from '../model.ts'

/** Speaks Anthropic's messages, at `https://api.anthropic.com/v1` or wherever the endpoint says. */
export function anthropicMessages(endpoint: ModelEndpoint, deps: AdapterDeps): ModelStream {
  return askProvider(
    endpoint,
    {
      name: 'anthropic',
      defaultPath: () => '/messages',
      keyHeader: 'x-api-key',
      open: (model, settings) => createAnthropic(settings).languageModel(model),
    },
    deps,
  )
}
