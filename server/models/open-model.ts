import type { ModelDeps } from './adapter.ts'
import { anthropicFormat, googleFormat } from './ai-sdk/formats.ts'
import type { ModelEndpoint } from './endpoint.ts'
import type { ModelStream } from './model.ts'
import { chatFormat } from './openai/chat.ts'
import { responsesFormat } from './openai/responses.ts'
import { streamReply } from './upstream/stream-reply.ts'

/** The model behind an endpoint, called in the endpoint's wire format. */
export function openModel(endpoint: ModelEndpoint, deps: ModelDeps): ModelStream {
  switch (endpoint.apiType) {
    case 'openai':
      return streamReply(endpoint, chatFormat, deps)
    case 'openai-responses':
      return streamReply(endpoint, responsesFormat, deps)
    case 'anthropic':
      return streamReply(endpoint, anthropicFormat, deps)
    case 'google':
      return streamReply(endpoint, googleFormat, deps)
  }
}
