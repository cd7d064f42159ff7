import { createAnthropic } from '@ai-sdk/anthropic'
import type { AdapterDeps } from '../adapter.ts'
import { askProvider } from './call-provider.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import type { ModelStream } from '../model.ts'
import { createGoogleGenerativeAI } from '@ai-sdk/google'

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

/** Speaks Google's generateContent, at `https://generativelanguage.googleapis.com/v1beta` or where the endpoint says. */
export function googleGenerate(endpoint: ModelEndpoint, deps: AdapterDeps): ModelStream {
  return askProvider(
    endpoint,
    {
      name: 'google',
      // A name with a slash says itself what kind of model it is, e.g. `tunedModels/mine`.
      defaultPath: (model) =>
        `/${model.includes('/') ? model : `models/${model}`}:streamGenerateContent?alt=sse`,
      keyHeader: 'x-goog-api-key',
      open: (model, settings) => createGoogleGenerativeAI(settings).languageModel(model),
    },
    deps,
  )
}
