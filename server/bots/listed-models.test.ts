import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Bot } from '@yonder/contract/bot'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { openGuards, type Guards } from '../http/outgoing/guarded-fetch.ts'
import { ListedModels } from '../models/catalogue/listed-models.ts'
import { userMessage, type ModelPart } from '../models/model.ts'
import { createChatClient, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { engines } from '../testing/database/test-database.ts'
import { botRow } from '../testing/factories/bots.ts'
import { anthropicModels } from '../testing/models/anthropic-models.ts'
import { readReply } from '../testing/models/read-reply.ts'
import { wireShapes } from '../testing/models/wire-shapes.ts'
import { openTestApp, type TestApp } from '../testing/test-app.ts'
import { openBotModel } from './bot-model.ts'

interface Provider {
  readonly url: string
  /** The methods of the requests, and what the calls of a model contained. */
  readonly methods: string[]
  readonly bodies: Readonly<Record<string, unknown>>[]
}

const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))

/** A provider with Anthropic's API, whose list is what `list` answers. */
async function startProvider(list: RequestListener): Promise<Provider> {
  const provider = { methods: [] as string[], bodies: [] as Provider['bodies'] }
  const { anthropic } = wireShapes
  const server = createServer((request, response) => {
    provider.methods.push(request.method ?? '')
    if (request.method === 'GET') return list(request, response)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      provider.bodies.push(JSON.parse(Buffer.concat(chunks).toString()) as Provider['bodies'][number])
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const usage = { input: 5, output: 1 }
      response.end(anthropic.start('m') + anthropic.text('ok') + anthropic.finish('stop', usage))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { ...provider, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

const models = (data: readonly object[]) => JSON.stringify({ data, has_more: false })
const former = anthropicModels.map(({ id, type }) => ({ id, type }))
/** A model whose name says nothing. */
const house = { ...anthropicModels[0], id: 'house-model' }

describe('the list of a provider that a bot calls', () => {
  let guards: Guards
  beforeAll(() => {
    guards = openGuards({ allowedPrivateHosts: [], isLoopbackInstallation: true, ownPorts: [] })
  })
  afterAll(() => guards.close())

  /** Opens the model of a bot, and calls it. `read` resolves when the list was read. */
  function open(provider: Provider) {
    const listedModels = new ListedModels(Date.now)
    const remember = vi.spyOn(listedModels, 'remember')
    const claims = vi.spyOn(listedModels, 'claimRead')
    const model = openBotModel(
      {
        config: { defaultModel: null },
        sealer: createSealer('a secret of tests that is long enough'),
        guards,
        listedModels,
      },
      botRow({ model: house.id, base_url: provider.url, api_type: 'anthropic' }),
    )
    const call = async (options = {}) => {
      const parts: ModelPart[] = []
      await readReply(
        model,
        { model: house.id, messages: [userMessage('Hi')], tools: [], maxTokens: null, options },
        { signal: new AbortController().signal, onParts: (some) => parts.push(...some) },
      )
      return parts.at(-1)
    }
    const read = new Promise<void>((resolve) => {
      remember.mockImplementation((...list) => {
        remember.mockRestore()
        listedModels.remember(...list)
        resolve()
      })
    })
    return { call, read, claims }
  }

  it('is read after the first reply, and counts from the next one on', async () => {
    const provider = await startProvider((_, response) => void response.end(models([house])))
    const { call, read, claims } = open(provider)
    expect(await call({ reasoningEffort: 'high' })).toMatchObject({ type: 'finish' })
    await read
    expect(await call({ reasoningEffort: 'high' })).toMatchObject({ type: 'finish' })
    expect(provider.methods).toEqual(['POST', 'GET', 'POST'])
    expect(provider.bodies.map(({ thinking, max_tokens }) => [thinking, max_tokens])).toEqual([
      [{ type: 'enabled', budget_tokens: 24_576 }, 4096 + 24_576],
      [{ type: 'adaptive', display: 'summarized' }, 128_000],
    ])
    expect(await call({ temperature: 0.5 })).toMatchObject({ type: 'finish' })
    expect(provider.bodies[2]).not.toHaveProperty('temperature')
    expect(claims.mock.results.map(({ value }) => value as boolean)).toEqual([true, false, false])
  })

  it('of the former API changes nothing', async () => {
    const provider = await startProvider((_, response) => void response.end(models(former)))
    const { call, read } = open(provider)
    await call({ reasoningEffort: 'low', temperature: undefined })
    await read
    await call({ reasoningEffort: 'low' })
    expect(provider.bodies[1]).toEqual(provider.bodies[0])
  })

  it.each<[string, RequestListener]>([
    ['never arrives', () => undefined],
    ['is missing', (_, response) => void response.writeHead(404).end()],
    ['is a web page', (_, response) => void response.end('<!doctype html>')],
    ['is cut off', (_, response) => void response.destroy()],
  ])('fails and delays no reply when it %s, and is not asked for again', async (_, list) => {
    let answered = (): void => undefined
    const asked = new Promise<void>((resolve) => (answered = resolve))
    const provider = await startProvider((request, response) => {
      answered()
      return list(request, response)
    })
    const { call, claims } = open(provider)
    expect(await call()).toMatchObject({ type: 'finish' })
    await asked
    expect(await call()).toMatchObject({ type: 'finish' })
    expect(provider.methods).toEqual(['POST', 'GET', 'POST'])
    expect(claims.mock.results.map(({ value }) => value as boolean)).toEqual([true, false])
  })
})

describe.each(engines)('a list that the form of a bot has read, on %s', (engine) => {
  let test: TestApp
  let ada: ChatClient
  beforeAll(async () => {
    test = await openTestApp({ engine })
    ada = createChatClient(await test.listen(), await test.signIn('Ada'))
  })
  afterAll(() => test.close())

  it('gives the context window, and the options that a model refuses are left out with one notice', async () => {
    const provider = await startProvider((_, response) => void response.end(models([house])))
    const address = { base_url: provider.url, api_type: 'anthropic' }
    const bot = { name: 'House', model: house.id, ...address, temperature: 0.5, top_p: 0.75 }
    expect((await ada.post('/api/bot', bot)).json<Bot>()).not.toHaveProperty('known_context_window')
    expect((await ada.post('/api/bot/models', address)).json()).toEqual({ models: [house.id], omitted: 0 })
    const bots = (await ada.get('/api/bots')).json<Bot[]>()
    expect(bots.find(({ name }) => name === 'House')?.known_context_window).toBe(1_000_000)

    const chatId = await ada.newChat()
    const notices: (string | undefined)[] = []
    for (const text of ['Hi', 'And now?']) {
      const stream = await ada.send(chatId, text, { botName: 'House' })
      await stream.ended
      expect(stream.run.messages[1]).toMatchObject({ content: 'ok', status: 'complete' })
      notices.push(stream.run.messages[1]?.notice)
    }
    const notice = (option: string) =>
      `The model house-model does not support ${option}, so it was called without it.`
    expect(notices).toEqual([`${notice('temperature')} ${notice('top-p')}`, undefined])
    expect(provider.methods).toEqual(['GET', 'POST', 'POST'])
    for (const body of provider.bodies) {
      expect(body).not.toHaveProperty('temperature')
      expect(body).not.toHaveProperty('top_p')
    }
  })
})
