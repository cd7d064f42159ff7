import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { omitRefusedOptions } from '../completions/loop/option-support.ts'
import { buildPrompt } from '../completions/prompt/build-prompt.ts'
import { readReply } from '../testing/models/read-reply.ts'
import { strictProviders, type StrictProvider } from '../testing/models/strict/providers.ts'
import { randomHistories } from '../testing/models/strict/random-history.ts'
import { soakRuns } from '../testing/models/strict/soak-runs.ts'
import { StrictNetwork } from '../testing/models/strict/strict-network.ts'
import { buildModelUrl, type ModelEndpoint } from './endpoint.ts'
import type { ModelOptions, ModelPart, ModelRequest } from './model.ts'
import { openModel } from './open-model.ts'
import { noteSource } from './reply-parts.ts'

/** `npm run soak` runs many more, with a new seed. */
const runs = soakRuns === undefined ? { numRuns: 25, seed: 31 } : { numRuns: soakRuns }

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

function sourceOf(provider: StrictProvider): string {
  const { apiType, model } = provider
  const endpoint = endpointOf(provider)
  const url = buildModelUrl(endpoint, defaultPaths[apiType].replace('{model}', model), model)
  return noteSource({ apiType, url, model, key: endpoint.apiKey })
}

const tool = { name: 'mail__send', description: '', inputSchema: { type: 'object', properties: {} } }

const requests = fc.record({
  history: randomHistories(sourceOf),
  hasTools: fc.oneof(
    { weight: 4, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  instructions: fc.constantFrom(undefined, 'Be brief.'),
  maxTokens: fc.constantFrom(null, 4_000),
  options: fc.record(
    {
      temperature: fc.constant(0.5),
      topP: fc.constant(0.5),
      reasoningEffort: fc.constantFrom('minimal' as const, 'high' as const),
    },
    { requiredKeys: [] },
  ),
})

type RandomRequest = typeof requests extends fc.Arbitrary<infer Value> ? Value : never

/** Sends a request as a run does: without options that were refused. */
async function send(provider: StrictProvider, random: RandomRequest) {
  const { history, hasTools, instructions, maxTokens, options } = random
  const network = new StrictNetwork(provider)
  const refused: (keyof ModelOptions)[] = []
  const model = omitRefusedOptions(openModel(endpointOf(provider), { guards: network.guards }), {
    listRefused: () => refused,
    addRefusal: (option) => refused.push(option),
    onOmitted: () => undefined,
  })
  const request: ModelRequest = {
    model: provider.model,
    messages: buildPrompt(history.path, { ...history, hasTools }),
    tools: hasTools ? [tool] : [],
    maxTokens,
    options,
    ...(instructions !== undefined && { instructions }),
  }
  const parts: ModelPart[] = []
  await readReply(model, request, {
    signal: new AbortController().signal,
    onParts: (some) => parts.push(...some),
  })
  return { end: parts.at(-1), refusals: network.refusals, bodies: network.bodies }
}

/** What a request may be refused for once, because only the refusal tells that the model is one of those. */
const learned = [
  'sampling',
  'effortWithTools',
  'unknownFields',
  'limitField',
  'oneCallPerMessage',
  'systemRole',
]

describe.each(strictProviders)('$name', (provider) => {
  it('accepts every history that chats can have', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (random) => {
        const { end, refusals } = await send(provider, random)
        expect(refusals.filter(({ rule }) => !learned.includes(rule))).toEqual([])
        expect(end).toEqual({ type: 'finish', reason: 'stop' })
      }),
      runs,
    )
  })

  it('accepts them at an address that says nothing about it', async () => {
    const hidden = { ...provider, host: 'models.internal' }
    await fc.assert(
      fc.asyncProperty(requests, async (random) => {
        expect((await send(hidden, random)).end).toEqual({ type: 'finish', reason: 'stop' })
      }),
      runs,
    )
  })

  it('gets the same bytes for the same history', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (random) => {
        const [first, second] = [await send(provider, random), await send(provider, random)]
        expect(first.bodies).toEqual(second.bodies)
      }),
      { ...runs, numRuns: Math.ceil(runs.numRuns / 5) },
    )
  })
})
