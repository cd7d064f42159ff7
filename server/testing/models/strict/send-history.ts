import { buildPrompt } from '../../../completions/prompt/build-prompt.ts'
import { buildModelUrl, type ModelEndpoint } from '../../../models/endpoint.ts'
import { mediaOf, type ModelPart, type ModelRequest } from '../../../models/model.ts'
import { openModel } from '../../../models/open-model.ts'
import { noteSource } from '../../../models/reply-parts.ts'
import type { RuleName } from '../../../models/rules.ts'
import { readReply } from '../read-reply.ts'
import type { StrictProvider } from './providers.ts'
import { addMedia, type RandomHistory } from './random-history.ts'
import type { Refusal } from './refusal.ts'
import { StrictNetwork } from './strict-network.ts'

const defaultPaths = {
  openai: '/chat/completions',
  'openai-responses': '/responses',
  anthropic: '/messages',
  google: '/models/{model}:streamGenerateContent?alt=sse',
}

function endpointOf({ apiType, host }: StrictProvider): ModelEndpoint {
  return {
    apiType,
    baseUrl: `https://${host}/v1`,
    apiKey: 'sk-0123456789',
    customApiPath: null,
    addressSource: 'userSupplied',
  }
}

/** The source of the notes of a provider. */
export function sourceOf(provider: StrictProvider): string {
  const { apiType, model } = provider
  const endpoint = endpointOf(provider)
  const url = buildModelUrl(endpoint, defaultPaths[apiType].replace('{model}', model), model)
  return noteSource({ apiType, url, model, key: endpoint.apiKey })
}

const tool = { name: 'mail__send', description: '', inputSchema: { type: 'object', properties: {} } }

/** What a request may be refused for once, because only the refusal tells that the model is one of those. */
const learned: readonly RuleName[] = [
  'sampling',
  'effortWithTools',
  'unknownFields',
  'limitField',
  'oneCallPerMessage',
  'systemRole',
  'resultPictures',
]

/** The refusals that a request should not have had. */
export function unexpected(refusals: readonly Refusal[]): readonly Refusal[] {
  return refusals.filter(({ rule }) => !learned.includes(rule))
}

export interface HistorySettings extends Pick<ModelRequest, 'maxTokens' | 'instructions' | 'options'> {
  readonly hasTools: boolean
}

/** Sends a history to a strict provider as a run does. */
export async function sendHistory(
  provider: StrictProvider,
  history: RandomHistory,
  { hasTools, ...settings }: HistorySettings,
) {
  const network = new StrictNetwork(provider)
  const model = openModel(endpointOf(provider), { guards: network.guards })
  const request: ModelRequest = {
    model: provider.model,
    messages: addMedia(buildPrompt(history.path, { ...history, hasTools }), history.media),
    tools: hasTools ? [tool] : [],
    ...settings,
  }
  const parts: ModelPart[] = []
  await readReply(model, request, {
    signal: new AbortController().signal,
    onParts: (some) => parts.push(...some),
  })
  const media = request.messages.flatMap(mediaOf)
  return { end: parts.at(-1), refusals: network.refusals, bodies: network.bodies, media }
}
