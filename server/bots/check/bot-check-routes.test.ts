import { createServer, request, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import type { BotTestResult, LocalModels, ModelList } from '@yonder/contract/bot'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { openTestApp, type TestApp, type TestClient } from '../../testing/test-app.ts'

const key = 'sk-canary-0123456789abcdef'
const mask = 'sk-c••••••••cdef'

interface Provider {
  readonly url: string
  readonly seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[]
  /** Requests without a complete response. */
  readonly open: number
  close(): void
}

const closing: Provider[] = []

/** A provider with two models, which replies to every question. */
async function startProvider(respond: RequestListener = reply): Promise<Provider> {
  const seen: Provider['seen'] = []
  let open = 0
  const server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers })
    open += 1
    response.on('close', () => (open -= 1))
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const provider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    get open() {
      return open
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  closing.push(provider)
  return provider
}

const reply: RequestListener = (request, response) => {
  if (request.method === 'GET') return void response.end('{"data":[{"id":"b"},{"id":"a"}]}')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end('data: {"choices":[{"delta":{"content":"OK"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
}

describe.each(engines)('checking a bot before it is saved, on %s', (engine) => {
  let test: TestApp
  let ada: TestClient

  beforeAll(async () => {
    test = await openTestApp({ engine, environment: { OLLAMA_URL: 'none' } })
    ada = await test.signIn('Ada')
  })
  afterEach(() => closing.splice(0).forEach((provider) => provider.close()))
  afterAll(() => test.close())

  const models = async (body: object) => (await ada.post('/api/bot/models', body)).json<ModelList>()
  const check = async (body: object) => (await ada.post('/api/bot/test', body)).json<BotTestResult>()

  it('lists the models at an address with its key, and writes nothing', async () => {
    const provider = await startProvider()
    const before = await hashTables(test.database)
    expect(await models({ base_url: provider.url, api_key: key })).toEqual({ models: ['a', 'b'], omitted: 0 })
    expect(provider.seen).toMatchObject([{ url: '/v1/models', headers: { authorization: `Bearer ${key}` } }])
    expect(await hashTables(test.database)).toEqual(before)
  })

  it('tests a model, and writes nothing', async () => {
    const provider = await startProvider()
    const before = await hashTables(test.database)
    expect(await check({ base_url: provider.url, api_key: key, model: 'a' })).toEqual({
      works: true,
      message: expect.stringMatching(
        /^The model replied in \d+\.\d s, streams its replies and accepts tools\.$/,
      ) as string,
    })
    expect(await hashTables(test.database)).toEqual(before)
  })

  it('tests the title model too, and says which one fails', async () => {
    const provider = await startProvider((request, response) => {
      void readText(request).then((body) =>
        body.includes('namer')
          ? response.writeHead(404).end('{"error":{"message":"The model `namer` does not exist"}}')
          : reply(request, response),
      )
    })
    const draft = { base_url: provider.url, model: 'a' }
    expect(await check({ ...draft, title_model: 'b' })).toEqual({
      works: true,
      message: expect.stringMatching(/ and accepts tools\. The title model replied, too\.$/) as string,
    })
    expect(await check({ ...draft, title_model: 'namer' })).toEqual({
      works: false,
      code: 'upstream_error',
      message: expect.stringMatching(
        /^The model replied in .* But the title model failed: .* does not know this model \(404\)/,
      ) as string,
    })
  })

  it('lists the demo model without any address, and no provider is called', async () => {
    expect(await models({})).toEqual({ models: ['demo'], omitted: 0 })
    expect(await check({ model: 'other' })).toEqual({
      works: false,
      code: 'bot_misconfigured',
      message:
        'The bot "New bot" has no address: enter its base URL, or set DEFAULT_MODEL_BASE_URL on the server.',
    })
  })

  it('returns a sentence when the provider fails, and never the key', async () => {
    const provider = await startProvider((_request, response) =>
      response.writeHead(401).end(JSON.stringify({ error: { message: `Incorrect API key: ${key}` } })),
    )
    const host = new URL(provider.url).host
    const message = `${host} refused the API key (401): Incorrect API key: •••. Check the API key of this bot.`
    const draft = { base_url: provider.url, api_key: key }
    expect(await models(draft)).toEqual({ models: [], omitted: 0, problem: message })
    expect(await check({ ...draft, model: 'a' })).toEqual({
      works: false,
      code: 'upstream_refused_key',
      message,
    })
  })

  it('refuses addresses that are not public, names the setting, and does not connect', async () => {
    for (const [base_url, advice] of [
      ['http://169.254.169.254/latest', 'always refused'],
      ['http://10.0.0.5/v1', 'ALLOWED_PRIVATE_HOSTS'],
      ['http://[fd00::1]/v1', 'ALLOWED_PRIVATE_HOSTS'],
    ] as const) {
      const { problem } = await models({ base_url, api_key: key })
      expect(problem).toContain(advice)
      const result = await check({ base_url, api_key: key, model: 'a' })
      expect(result).toMatchObject({ works: false, code: 'address_refused' })
    }
  })

  it.each([
    ['another scheme', { base_url: 'file:///etc/passwd' }, 'base_url: '],
    ['a password in the address', { base_url: 'https://me:secret@example.com' }, 'base_url: '],
    ['a key with a line break', { base_url: 'http://127.0.0.1:9', api_key: 'a\r\nX-Other: y' }, 'api_key: '],
    ['a mask without a stored key', { base_url: 'http://127.0.0.1:9', api_key: mask }, 'api_key: '],
    ['an unknown API type', { api_type: 'telex' }, 'api_type: '],
  ])('refuses %s by the name of the field', async (_, draft, reason) => {
    for (const answer of [
      await ada.post('/api/bot/models', draft),
      await ada.post('/api/bot/test', { model: 'a', ...draft }),
    ]) {
      expect(answer.statusCode).toBe(400)
      expect(answer.json<{ error: { message: string } }>().error.message).toContain(reason)
    }
  })

  it('requires a model for a test', async () => {
    const answer = await ada.post('/api/bot/test', { model: ' ' })
    expect(answer.json()).toEqual({
      error: { code: 'invalid_request', message: 'model: Please fill in all required fields' },
    })
  })

  describe('for a stored bot', () => {
    const store = async (base_url: string) => {
      await test.database.db.deleteFrom('bots').execute()
      await ada.post('/api/bot', { name: 'Mine', model: 'a', base_url, api_key: key })
    }

    it.each(['absent', 'the mask'])(
      'uses the stored key at its address when the key is %s',
      async (given) => {
        const provider = await startProvider()
        await store(provider.url)
        const draft = {
          name: 'Mine',
          base_url: provider.url,
          ...(given === 'absent' ? {} : { api_key: mask }),
        }
        await models(draft)
        await check({ ...draft, model: 'a' })
        expect(provider.seen.map(({ headers }) => headers.authorization)).toEqual([
          `Bearer ${key}`,
          `Bearer ${key}`,
        ])
      },
    )

    it.each(['absent', 'the mask'])(
      'sends the stored key to no other address when the key is %s',
      async (given) => {
        const provider = await startProvider()
        const thief = await startProvider()
        await store(provider.url)
        const addresses = [
          thief.url,
          `${thief.url}?${provider.url}`,
          thief.url.replace('127.0.0.1', 'localhost'),
          `${provider.url}/other`,
        ]
        for (const base_url of addresses) {
          const draft = { name: 'Mine', base_url, ...(given === 'absent' ? {} : { api_key: mask }) }
          await models(draft)
          await check({ ...draft, model: 'a' })
        }
        expect(thief.seen.length).toBeGreaterThan(3)
        for (const { headers } of [...thief.seen, ...provider.seen]) {
          expect(JSON.stringify(headers)).not.toContain('canary')
        }
      },
    )

    it('sends the stored key through no API path to another host', async () => {
      const provider = await startProvider()
      const thief = await startProvider()
      await store(provider.url)
      for (const custom_api_path of [
        `${thief.url}/chat`,
        `//${new URL(thief.url).host}/chat`,
        '\\\\evil.example\\x',
      ]) {
        const draft = { name: 'Mine', base_url: provider.url, api_key: mask, custom_api_path }
        await models(draft)
        await check({ ...draft, model: 'a' })
      }
      expect(thief.seen).toEqual([])
    })

    it('is not found for another user, who calls no provider with its key', async () => {
      const provider = await startProvider()
      await store(provider.url)
      const eve = await test.signIn('Eve')
      const draft = { name: 'Mine', base_url: provider.url, api_key: mask }
      for (const answer of [
        await eve.post('/api/bot/models', draft),
        await eve.post('/api/bot/test', { ...draft, model: 'a' }),
      ])
        expect(answer.statusCode).toBe(404)
      expect(provider.seen).toEqual([])
    })
  })

  it('ends the call of the provider when the user leaves', async () => {
    const provider = await startProvider(() => undefined)
    const base = await test.listen()
    for (const path of ['/api/bot/test', '/api/bot/models']) {
      const before = provider.seen.length
      const headers = { ...ada.headers, 'content-type': 'application/json' }
      const call = request(base + path, { method: 'POST', headers }).on('error', () => undefined)
      call.end(JSON.stringify({ base_url: provider.url, model: 'a' }))
      await expect.poll(() => provider.seen.length).toBe(before + 1)
      call.destroy()
      await expect.poll(() => provider.open).toBe(0)
    }
  })
})

describe("the operator's provider", () => {
  it('lists its models with its key, which no path of a user leads elsewhere', async () => {
    const provider = await startProvider()
    const test = await openTestApp({
      environment: {
        DEFAULT_MODEL_BASE_URL: `${provider.url}/proxy`,
        DEFAULT_MODEL_API_KEY: 'operator-key-0123456789',
      },
    })
    const ada = await test.signIn('Ada')
    const answer = await ada.post('/api/bot/models', {})
    expect(answer.json()).toEqual({ models: ['a', 'b'], omitted: 0 })
    expect(provider.seen).toMatchObject([
      { url: '/v1/proxy/models', headers: { authorization: 'Bearer operator-key-0123456789' } },
    ])
    for (const custom_api_path of [
      '../admin',
      '%2e%2e/admin/chat/completions',
      'x/..\\..\\y',
      '/key/generate',
      'x/chat/completions',
    ]) {
      const refused = await ada.post('/api/bot/models', { custom_api_path })
      expect(refused.json<ModelList>().problem).toContain('lead out of the address of the model provider')
    }
    expect(provider.seen).toHaveLength(1)
    const thief = await startProvider()
    await ada.post('/api/bot/models', { base_url: thief.url })
    await ada.post('/api/bot/test', { base_url: thief.url, model: 'a' })
    expect(thief.seen).toHaveLength(2)
    for (const { headers } of thief.seen) expect(headers.authorization).toBeUndefined()
    await test.close()
    closing.splice(0).forEach((each) => each.close())
  })

  it('is called at most as often as a user may request completions', async () => {
    const test = await openTestApp({ environment: { RATE_LIMIT_COMPLETIONS: '2' } })
    const ada = await test.signIn('Ada')
    for (const path of ['/api/bot/models', '/api/bot/test']) {
      const statuses = []
      for (let at = 0; at < 3; at++) statuses.push((await ada.post(path, { model: 'x' })).statusCode)
      expect(statuses).toEqual([200, 200, 429])
    }
    await test.close()
  })
})

describe('an Ollama that the server has found', () => {
  const localModels = async (environment: Record<string, string>) => {
    const test = await openTestApp({ environment })
    const ada = await test.signIn('Ada')
    const { local } = (await ada.get('/api/bot/local-models')).json<LocalModels>()
    await test.close()
    return local
  }
  afterEach(() => closing.splice(0).forEach((provider) => provider.close()))
  const rootOf = ({ url }: Provider) => url.replace('/v1', '')

  it('is offered with its models on a loopback installation', async () => {
    const ollama = await startProvider()
    expect(await localModels({ OLLAMA_URL: `${rootOf(ollama)}/` })).toEqual({
      base_url: ollama.url,
      models: ['a', 'b'],
    })
    expect(ollama.seen.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  it('is offered on an installation that others reach only when the operator has set and allowed it', async () => {
    const ollama = await startProvider()
    const OLLAMA_URL = rootOf(ollama)
    const HOST = '0.0.0.0'
    expect(parseConfig({ HOST }).ollamaUrl).toBeNull()
    expect(await localModels({ HOST, OLLAMA_URL })).toBeNull()
    expect(ollama.seen).toEqual([])
    const ALLOWED_PRIVATE_HOSTS = new URL(OLLAMA_URL).host
    expect(await localModels({ HOST, OLLAMA_URL, ALLOWED_PRIVATE_HOSTS })).toEqual({
      base_url: ollama.url,
      models: ['a', 'b'],
    })
  })

  it.each<[string, RequestListener]>([
    ['says nothing', () => undefined],
    ['has no model', (_request, response) => void response.end('{"data":[]}')],
    ['is another server', (_request, response) => void response.end('<html>Hi</html>')],
  ])('is not offered when it %s', async (_, respond) => {
    expect(await localModels({ OLLAMA_URL: rootOf(await startProvider(respond)) })).toBeNull()
  })

  it('is not offered when nothing listens, or the guard refuses its address', async () => {
    for (const OLLAMA_URL of ['http://127.0.0.1:9', 'http://169.254.169.254', 'none'])
      expect(await localModels({ OLLAMA_URL })).toBeNull()
  })
})
