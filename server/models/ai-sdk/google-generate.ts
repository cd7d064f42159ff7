import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { AdapterDeps } from '../adapter-deps.ts'
import { askProvider } from './ask-provider.ts'
import type { ModelEndpoint } from '../model-endpoint.ts'
import type { ModelStream } from '../model.ts'

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
