import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashTables } from './testing/database/hash-tables.ts'
import { listCalls } from './testing/chat/list-calls.ts'
import type { ApiCall } from './testing/chat/list-calls.ts'
import type { ChatClient } from './testing/chat/open-chat-app.ts'
import { openToolApp, waitingCall } from './testing/chat/open-tool-app.ts'
import type { ToolApp } from './testing/chat/open-tool-app.ts'
import { sendRequest } from './testing/send-request.ts'
import { engines } from './testing/database/test-database.ts'

type Values = Readonly<Record<string, string>>

/** What one user owns, with a word in it that no other user may ever read. */
interface World {
  readonly client: ChatClient
  readonly secret: string
  readonly bot: string
  readonly connector: string
  readonly integration: string
  readonly chat: string
  readonly question: string
  readonly reply: string
  readonly running: string
  readonly share: string
  /** A chat whose reply waits to call a tool. */
  readonly asking: string
  readonly waiting: string
  /** A chat whose call asks something. */
  readonly questioning: string
  readonly calling: string
  readonly toolQuestion: string
}

type Thing = Exclude<keyof World, 'client' | 'secret'>

/** One way to make a call: which thing each of its fields names, and what else it needs. */
interface Form {
  readonly path?: Readonly<Record<string, Thing>>
  readonly query?: Readonly<Record<string, Thing>>
  readonly body?: Readonly<Record<string, Thing>>
  readonly rest?: Readonly<Record<string, unknown>>
  /** Fields of the address that name no thing. */
  readonly fixed?: Values
}

/** How to make every call that names a thing. A call that is published and missing here fails the test. */
const forms: Readonly<Record<string, readonly Form[]>> = {
  'GET /api/settings': [],
  'GET /api/auth/userinfo': [],
  'GET /api/bots': [],
  'POST /api/bot': [],
  'PUT /api/bot/{name}': [{ path: { name: 'bot' }, rest: { name: 'Renamed', model: 'm' } }],
  'DELETE /api/bot/{name}': [{ path: { name: 'bot' } }],
  'GET /api/mcp-servers': [],
  'POST /api/mcp-server': [],
  'GET /api/browse-connectors': [],
  'PUT /api/mcp-server/{name}': [
    { path: { name: 'connector' }, rest: { name: 'Renamed', url: 'http://127.0.0.1:9/' } },
  ],
  'DELETE /api/mcp-server/{name}': [{ path: { name: 'connector' } }],
  'POST /api/mcp-server/{name}/connect': [{ path: { name: 'connector' }, rest: {} }],
  'POST /api/mcp-server/{name}/disconnect': [{ path: { name: 'connector' } }],
  'GET /api/mcp-server/{name}/calls': [{ path: { name: 'connector' } }],
  'GET /api/integrations': [],
  'GET /api/integration/types': [],
  'POST /api/integration': [],
  'PUT /api/integration/{name}': [
    { path: { name: 'integration' }, rest: { name: 'any', auth_type: 'oauth' } },
  ],
  'POST /api/integration/disconnect/{name}': [{ path: { name: 'integration' } }],
  'GET /api/integration/auth/{name}': [{ path: { name: 'integration' } }],
  // The state identifies the user (`finish-google-consent.test.ts`).
  'POST /api/integration/callback/{service}': [],
  'GET /api/chat/id': [],
  'GET /api/chats': [],
  'GET /api/chats/{id}': [{ path: { id: 'chat' } }],
  'GET /api/chats/{id}/images/{messageId}/{place}': [
    { path: { id: 'chat', messageId: 'reply' }, fixed: { place: '0' } },
  ],
  'POST /api/tool/confirm': [
    {
      body: { botName: 'bot', server: 'connector', chatId: 'asking', messageId: 'waiting' },
      rest: { tool: 'act', args: {} },
    },
  ],
  'POST /api/tool/answer': [
    {
      body: { chatId: 'questioning', messageId: 'calling', questionId: 'toolQuestion' },
      rest: { answer: { action: 'decline' } },
    },
  ],
  'POST /api/chat/select-response': [{ body: { chatId: 'chat', messageId: 'reply' } }],
  'POST /api/chat/completions': [
    { body: { chatId: 'chat', botName: 'bot', parentId: 'reply' }, rest: { content: 'more' } },
    { body: { chatId: 'chat', botName: 'bot', userMessageId: 'question' } },
  ],
  'POST /api/chat/stop': [{ body: { chatId: 'running' } }],
  'GET /api/chat/{id}/stream': [
    { path: { id: 'running' } },
    { path: { id: 'chat' }, query: { messageId: 'reply' } },
  ],
  'GET /api/live': [],
  'POST /api/share/{chatId}': [{ path: { chatId: 'chat' }, body: { messageId: 'reply' } }],
  'GET /api/shares': [],
  'DELETE /api/share/{id}': [{ path: { id: 'share' } }],
  // Everyone with the link may read it, so there is nothing to refuse.
  'GET /api/share/{id}': [],
}

/** Fields whose name sounds like a thing and that name nothing that exists. */
const newNames = new Set([
  'POST /api/bot body.name',
  'PUT /api/bot/{name} body.name',
  'POST /api/mcp-server body.name',
  'PUT /api/mcp-server/{name} body.name',
  'POST /api/mcp-server body.client_id',
  'PUT /api/mcp-server/{name} body.client_id',
  'GET /api/share/{id} path.id',
  // Kinds of integrations have the same names for all.
  'POST /api/integration body.name',
  'PUT /api/integration/{name} body.name',
  'POST /api/integration/callback/{service} path.service',
  // The name of a new message, in its own chat alone; and a word that goes with it.
  'POST /api/chat/completions body.id',
  'POST /api/chat/completions body.server',
  // Every user's connector has a tool of this name, and a picture has a position among the parts of its result.
  'POST /api/tool/confirm body.tool',
  'GET /api/chats/{id}/images/{messageId}/{place} path.place',
])

const namesThing =
  /(^|[a-z_])(ids?|names?|keys?|refs?)$|(Ids?|Names?)$|^(server|tool|parent|chat|message|bot|run|share)$/
/** A secret of a thing and no name of one. */
const secretFields = /^api_key$/
const places = ['path', 'query', 'body'] as const
const thingsOf = (form: Form): readonly (readonly ['path' | 'query' | 'body', string, Thing])[] =>
  places.flatMap((place) =>
    Object.entries(form[place] ?? {}).map(([field, thing]) => [place, field, thing] as const),
  )

describe.each(engines)('the data of another user, on %s', (engine) => {
  let product: ToolApp
  let calls: readonly ApiCall[]
  let ada: World
  let eve: World

  beforeAll(async () => {
    product = await openToolApp({
      engine,
      environment: {
        CONNECTOR_REGISTRY_URL: 'none',
        GOOGLE_CLIENT_ID: 'here',
        GOOGLE_CLIENT_SECRET: 'secret',
        API_KEY_SERVICES: JSON.stringify([{ name: 'search', url: 'http://127.0.0.1:9/mcp' }]),
      },
    })
    calls = await listCalls(product.app)
    ada = await openWorld('Ada')
    eve = await openWorld('Eve')
  })
  afterAll(() => product.close())

  async function openWorld(name: string): Promise<World> {
    const client = await product.join(name)
    const secret = `only-${name}-knows`
    const bot = `Bot of ${secret}`
    const connector = `Tools of ${secret}`
    await client.post('/api/bot', { name: bot, model: 'm', base_url: product.model.baseUrl })
    await product.connect(client, 'question', { name: connector })
    const integration = name === 'Ada' ? 'google-gmail' : 'google-calendar'
    await client.post('/api/integration', { name: integration, auth_type: 'oauth' })
    await client.post('/api/integration', { name: 'search', auth_type: 'api_key', api_key: secret })
    // Default connectors are written when they are first looked at.
    await client.get('/api/mcp-servers')
    const chat = await client.newChat()
    const answered = await client.send(chat, `Is it that ${secret}?`)
    await answered.ended
    const [question, reply] = answered.run.messages
    if (question === undefined || reply === undefined) throw new Error(`there is no reply: ${answered.raw}`)
    const { shareId } = (await client.post(`/api/share/${chat}`, { messageId: reply.id })).json<{
      shareId: string
    }>()
    const running = await client.newChat()
    product.model.reply([secret, product.model.gate()])
    const stream = await client.send(running, secret)
    await stream.until(({ text }) => text === secret)
    await product.database.db
      .insertInto('result_images')
      .values({ chat_id: chat, message_id: reply.id, place: 0, mime_type: 'image/png', data: secret })
      .execute()
    return {
      ...(await openCalls(client)),
      client,
      secret,
      bot,
      connector,
      integration,
      chat,
      question: question.id,
      reply: reply.id,
      running,
      share: shareId,
    }
  }

  /** A call that waits, and one that runs and asks something. */
  async function openCalls(client: ChatClient) {
    const tools = product.model.requests.at(-1)?.body['tools'] as { function: { name: string } }[]
    const name = tools.find((tool) => tool.function.name.endsWith('__act'))?.function.name ?? ''
    const ask = async () => {
      product.model.reply([{ toolCall: { name, arguments: '{}' } }])
      const chatId = await client.newChat()
      const stream = await client.send(chatId, 'Act')
      await stream.ended
      return waitingCall(chatId, stream)
    }
    const [waiting, calling] = [await ask(), await ask()]
    const confirmed = await client.confirm(calling)
    await confirmed.until(({ run }) => run.messages[1]?.call?.question !== undefined)
    return {
      asking: waiting.chatId ?? '',
      waiting: waiting.messageId ?? '',
      questioning: calling.chatId ?? '',
      calling: calling.messageId ?? '',
      toolQuestion: confirmed.run.messages[1]?.call?.question?.id ?? '',
    }
  }

  /** Makes a call in one of its forms, each field naming what `nameOf` says. */
  function ask(
    call: ApiCall,
    form: Form,
    headers: Readonly<Record<string, string>>,
    nameOf: (place: string, field: string, thing: Thing) => string,
  ) {
    const fill = (place: 'path' | 'query' | 'body') =>
      Object.fromEntries(
        Object.entries(form[place] ?? {}).map(([field, thing]) => [field, nameOf(place, field, thing)]),
      )
    const path = Object.entries({ ...fill('path'), ...form.fixed }).reduce(
      (address, [field, value]) => address.replace(`{${field}}`, encodeURIComponent(value)),
      call.path,
    )
    const query = new URLSearchParams(fill('query')).toString()
    return sendRequest({
      method: call.method,
      url: `${product.base}${path}${query === '' ? '' : `?${query}`}`,
      headers: { host: 'localhost:3000', ...headers },
      ...(call.hasBody ? { body: JSON.stringify({ ...form.rest, ...fill('body') }) } : {}),
    })
  }
  const formsOf = (call: ApiCall) => forms[call.name] ?? []
  const everyForm = () => calls.flatMap((call) => formsOf(call).map((form) => ({ call, form })))

  it('is requested in every published call', () => {
    expect(calls.map(({ name }) => name).toSorted()).toEqual(Object.keys(forms).toSorted())
    const asked = new Set(
      everyForm().flatMap(({ call, form }) =>
        thingsOf(form).map(([place, field]) => `${call.name} ${place}.${field}`),
      ),
    )
    const published = calls.flatMap((call) =>
      places.flatMap((place) =>
        call.fields[place]
          .filter((field) => place === 'path' || (namesThing.test(field) && !secretFields.test(field)))
          .map((field) => `${call.name} ${place}.${field}`),
      ),
    )
    expect(published.filter((field) => !asked.has(field) && !newNames.has(field))).toEqual([])
    expect(asked.size).toBeGreaterThan(15)
  })

  it('does not exist: each field, in each call, has the same response as an unknown id, and nothing is written (§17.22)', async () => {
    const before = await hashTables(product.database)
    const answers = new Set<number>()
    for (const { call, form } of everyForm()) {
      const fields = thingsOf(form)
      const choices = [fields, ...fields.map((field) => [field])]
      for (const chosen of choices) {
        const isChosen = (place: string, field: string) =>
          chosen.some(([one, other]) => one === place && other === field)
        const what = `${call.name} with ${chosen.map(([place, field]) => `${place}.${field}`).join()}`
        const askFor = async (nameThing: (thing: Thing) => string) => {
          const answer = await ask(call, form, eve.client.headers, (place, field, thing) =>
            isChosen(place, field) ? nameThing(thing) : eve[thing],
          )
          // A refusal may say again what was asked for.
          const said = chosen.reduce(
            (text, [, , thing]) => text.replaceAll(nameThing(thing), '*'),
            answer.body,
          )
          return { what, status: answer.statusCode, said }
        }
        const theirs = await askFor((thing) => ada[thing])
        expect(theirs).toEqual(await askFor((thing) => `never-${thing}`))
        expect([404, 409], what).toContain(theirs.status)
        const codes = theirs.status === 404 ? ['not_found'] : ['not_resumable', 'conflict']
        expect(JSON.parse(theirs.said), what).toEqual({
          error: { code: expect.toBeOneOf(codes) as string, message: expect.any(String) },
        })
        expect(theirs.said).not.toContain(ada.secret)
        answers.add(theirs.status)
      }
    }
    expect(answers).toContain(404)
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('requires a session before anything else, and writes nothing without one (§6.1)', async () => {
    expect(calls.filter(({ isPublic }) => isPublic).map(({ name }) => name)).toEqual([
      'GET /api/settings',
      'GET /api/share/{id}',
    ])
    const before = await hashTables(product.database)
    const strangers: readonly Readonly<Record<string, string>>[] = [
      {},
      { authorization: 'Bearer garbage' },
      { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.' },
      { authorization: `Basic ${Buffer.from('ada:ada').toString('base64')}` },
      { cookie: ada.client.headers['authorization'] ?? '' },
    ]
    for (const call of calls.filter(({ isPublic }) => !isPublic)) {
      for (const form of formsOf(call).length === 0 ? [{}] : formsOf(call)) {
        for (const headers of strangers) {
          for (const nameOf of [(_: string, __: string, thing: Thing) => ada[thing], () => 'never-was']) {
            const answer = await ask(call, form, headers, nameOf)
            expect([call.name, answer.statusCode]).toEqual([call.name, 401])
            expect(JSON.parse(answer.body)).toEqual({
              error: { code: 'unauthenticated', message: expect.any(String) },
            })
          }
        }
      }
    }
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('is in no list, no search and no stream', async () => {
    const lists = calls.filter(({ method, fields }) => method === 'GET' && fields.path.length === 0)
    expect(lists.length).toBeGreaterThan(6)
    for (const call of lists) {
      const url = `${product.base}${call.path}?search=${ada.secret}&limit=100`
      const mine = await sendRequest({ method: 'GET', url, headers: eve.client.headers })
      expect([call.name, mine.statusCode]).toEqual([call.name, 200])
      for (const thing of [ada.secret, ada.chat, ada.running, ada.share, ada.reply, ada.client.user.id])
        expect(mine.body, call.name).not.toContain(thing)
    }
  })

  it('can be requested by its owner with the same calls', async () => {
    const before = await hashTables(product.database)
    const removing = (call: ApiCall) => (call.method === 'DELETE' ? 2 : call.method === 'PUT' ? 1 : 0)
    for (const { call, form } of everyForm().toSorted((a, b) => removing(a.call) - removing(b.call))) {
      const isRenamed = removing(call) === 2 && call.path.includes('{name}')
      const answer = await ask(call, form, ada.client.headers, (_place, _field, thing) =>
        isRenamed ? 'Renamed' : ada[thing],
      )
      expect([400, 401, 404, 409, 500], `${call.name}: ${answer.body}`).not.toContain(answer.statusCode)
      await expect.poll(async () => (await ada.client.readChat(ada.chat)).run, { interval: 5 }).toBeNull()
    }
    const after = await hashTables(product.database)
    const changed = Object.keys(before).filter((table) => before[table] !== after[table])
    expect(changed).toEqual(
      expect.arrayContaining(['bots', 'chats', 'connectors', 'integrations', 'messages', 'runs', 'shares']),
    )
  })
})
