import { describe, expect, it } from 'vitest'
import { sealCredential } from '../db/secrets/credential.ts'
import { botKeyContext } from '../db/secrets/seal-contexts.ts'
import { createSealer } from '../db/secrets/seal-secret.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { ListedModels } from '../models/catalogue/listed-models.ts'
import { userMessage, type ModelMessage } from '../models/model.ts'
import { botRow as bot } from '../testing/factories/bots.ts'
import { readReply } from '../testing/models/read-reply.ts'
import { strictProviders } from '../testing/models/strict/providers.ts'
import { StrictNetwork } from '../testing/models/strict/strict-network.ts'
import { findBotFacts, openBotModel, resolveEndpoint } from './bot-model.ts'

const sealer = createSealer('a secret of tests that is long enough')
const operator = { baseUrl: 'https://operator.example/v1', apiKey: 'the-operators-key' }
const withOperator = { config: { defaultModel: operator }, sealer }
const sealKey = (address: string | null, by = sealer) =>
  sealCredential(by, botKeyContext(bot()), { secret: 'own-key', address })
const withoutOperator = { config: { defaultModel: null }, sealer }

describe('a bot with an address of its own', () => {
  const base_url = 'https://own.example/v1'

  it('is called there with its own key, under the policy for user-supplied addresses (§1.1, §3.1)', () => {
    const own = bot({
      base_url,
      api_key: sealKey('https://own.example'),
      api_type: 'anthropic',
      custom_api_path: '/x',
    })
    expect(resolveEndpoint(own, withOperator)).toEqual({
      apiType: 'anthropic',
      baseUrl: base_url,
      apiKey: 'own-key',
      customApiPath: '/x',
      addressSource: 'userSupplied',
    })
  })

  it("never gets the operator's key, not even at the operator's address", () => {
    expect(resolveEndpoint(bot({ base_url }), withOperator)?.apiKey).toBeNull()
    expect(resolveEndpoint(bot({ base_url: operator.baseUrl }), withOperator)).toMatchObject({
      apiKey: null,
      addressSource: 'userSupplied',
    })
  })

  it('is called there even when its model has the name of the demo model', () => {
    expect(resolveEndpoint(bot({ base_url, model: 'demo' }), withoutOperator)?.baseUrl).toBe(base_url)
  })
})

describe('a bot without an address', () => {
  it("uses the operator's provider and key, in the OpenAI form unless it says otherwise", () => {
    expect(resolveEndpoint(bot(), withOperator)).toEqual({
      apiType: 'openai',
      baseUrl: operator.baseUrl,
      apiKey: operator.apiKey,
      customApiPath: null,
      addressSource: 'operatorSupplied',
    })
  })

  it("uses its own key before the operator's", () => {
    expect(resolveEndpoint(bot({ api_key: sealKey('https://operator.example') }), withOperator)?.apiKey).toBe(
      'own-key',
    )
  })

  it("calls the operator's provider for a model named demo, when there is one", () => {
    expect(resolveEndpoint(bot({ model: 'demo' }), withOperator)?.baseUrl).toBe(operator.baseUrl)
  })

  it('calls the built-in demo model when no provider is configured', () => {
    expect(resolveEndpoint(bot({ model: 'demo' }), withoutOperator)).toBeNull()
  })

  it('fails for any other model, naming the setting', () => {
    expect(() => resolveEndpoint(bot(), withoutOperator)).toThrow(
      expect.objectContaining({
        code: 'bot_misconfigured',
        message: expect.stringContaining('DEFAULT_MODEL_BASE_URL'),
      }),
    )
  })
})

describe("a bot with the operator's key", () => {
  const base_url = 'https://gateway.example/v1'
  const defaultBots = [{ name: 'A', model: 'm', base_url, api_key: 'own-key', custom_api_path: '/special' }]
  const deps = { sealer, config: { defaultModel: null, defaultBots } }
  const api_key = sealKey('https://gateway.example')

  it.each([
    ['/special', true],
    ['/key/generate', undefined],
    [null, undefined],
  ])('is marked as such, and its path %j as the operator’s or not', (custom_api_path, hasOperatorPath) => {
    const endpoint = resolveEndpoint(bot({ base_url, api_key, custom_api_path }), deps)
    expect(endpoint).toMatchObject({ apiKey: 'own-key', hasOperatorKey: true })
    expect(endpoint?.hasOperatorPath).toBe(hasOperatorPath)
  })

  it('is told from one with a key of its user', () => {
    const other = {
      ...deps,
      config: { defaultModel: null, defaultBots: [{ name: 'A', model: 'm', base_url }] },
    }
    expect(resolveEndpoint(bot({ base_url, api_key }), other)?.hasOperatorKey).toBeUndefined()
  })
})

it.each([
  [
    'the operator has changed the address of the provider',
    bot({ api_key: sealKey('https://former.example') }),
  ],
  ['the operator has added a provider', bot({ api_key: sealKey(null) })],
  [
    'the address was changed in the database',
    bot({ base_url: 'https://evil.example/v1', api_key: sealKey('https://own.example') }),
  ],
])('does not send a key and asks for it when %s', (_case, changed) => {
  expect(() => resolveEndpoint(changed, withOperator)).toThrow(
    expect.objectContaining({
      code: 'bot_misconfigured',
      message: expect.stringMatching(/was entered for another address.*Enter the key again\.$/),
    }),
  )
})

it('keeps a key when only the path of the address has changed', () => {
  const own = bot({ api_key: sealKey('https://operator.example') })
  const moved = { sealer, config: { defaultModel: { ...operator, baseUrl: 'https://operator.example/v2' } } }
  expect(resolveEndpoint(own, moved)?.apiKey).toBe('own-key')
})

it('fails with instructions when the key was sealed with another secret', () => {
  const other = createSealer('another secret of tests, as long as that')
  expect(() =>
    resolveEndpoint(bot({ api_key: sealKey('https://operator.example', other) }), withOperator),
  ).toThrow(
    expect.objectContaining({ code: 'bot_misconfigured', message: expect.stringContaining('SECRET_KEY') }),
  )
})

describe('what the model of a bot can be given', () => {
  const find = async (fields: Parameters<typeof bot>[0], listedModels = new ListedModels(() => 0)) => {
    const deps = { config: { defaultModel: null, modelPrices: [] }, listedModels, now: () => 0 }
    return (await findBotFacts(deps, bot(fields))).inputs
  }
  const openai = { base_url: 'https://api.openai.com/v1', model: 'gpt-4o' }

  it('is known of its model at its address and in its API type', async () => {
    expect(await find(openai)).toEqual({ images: true, pdf: true })
    expect(await find({ ...openai, base_url: 'https://own.example/v1' })).toEqual({
      images: true,
      pdf: false,
    })
    expect(await find({ model: 'gpt-4o' })).toEqual({ images: false, pdf: false })
  })

  it('is what the bot says, before all that is known', async () => {
    expect(await find({ ...openai, images: 'no', pdf: 'no' })).toEqual({ images: false, pdf: false })
    const own = { base_url: 'https://own.example/v1', model: 'house-model' }
    expect(await find({ ...own, images: 'yes' })).toEqual({ images: true, pdf: false })
    expect(await find({ ...own, pdf: 'yes' })).toEqual({ images: false, pdf: true })
  })

  const file = { id: 'f', name: 'a.png', type: 'image/png', size: 1 }
  const withFile: ModelMessage = { role: 'user', parts: [{ type: 'file', file }] }

  it.each([
    ['https://openrouter.ai/api/v1', userMessage('Hi'), true],
    ['https://own.example/v1', userMessage('Hi'), false],
    ['https://own.example/v1', withFile, true],
  ])('is in the list of %s, which is read after a reply to %j: %s', async (base_url, message, isRead) => {
    const listedModels = new ListedModels(() => 0)
    const provider = strictProviders.find(({ name }) => name === 'OpenRouter')
    if (provider === undefined) throw new Error('no stand-in')
    const { dispatcher, requireUrl } = new StrictNetwork(provider).guards.userSupplied
    const asked: string[] = []
    const list = { data: [{ id: 'x/new', architecture: { input_modalities: ['text', 'image'] } }] }
    const fetch = (url: URL) => {
      asked.push(url.href)
      return Promise.resolve(Response.json(list))
    }
    const guard = { dispatcher, requireUrl, fetch } as unknown as GuardedFetch
    const guards = { userSupplied: guard, operatorSupplied: guard }
    const fields = { base_url, model: 'x/new' }
    const model = openBotModel({ ...withoutOperator, guards, listedModels }, bot(fields))
    const remembered = new Promise<void>((resolve) => {
      const remember = listedModels.remember.bind(listedModels)
      listedModels.remember = (...read) => {
        remember(...read)
        resolve()
      }
    })
    await readReply(
      model,
      { model: 'x/new', messages: [message], tools: [], maxTokens: null },
      { signal: new AbortController().signal, onParts: () => undefined },
    )
    if (isRead) await remembered
    expect(asked).toEqual(isRead ? [`${base_url}/models`] : [])
    expect(await find(fields, listedModels)).toEqual({ images: isRead, pdf: false })
  })
})
