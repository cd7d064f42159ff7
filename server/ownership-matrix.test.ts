import type { ChatList } from '@yonder/contract/chat'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createUserData,
  laterCallId,
  userDataEnvironment,
  type UserData,
} from './testing/chat/create-user-data.ts'
import { listApiCalls, type ApiCall } from './testing/chat/list-api-calls.ts'
import { openToolApp, type ToolApp } from './testing/chat/open-tool-app.ts'
import { hashTables } from './testing/database/hash-tables.ts'
import { engines } from './testing/database/test-database.ts'
import { sendRequest } from './testing/send-request.ts'

type Values = Readonly<Record<string, string>>

type Resource = Exclude<keyof UserData, 'client' | 'secret'>

/** One form of a call: the resources that its fields name, and its other fields. */
interface Form {
  readonly path?: Readonly<Record<string, Resource>>
  readonly query?: Readonly<Record<string, Resource>>
  readonly body?: Readonly<Record<string, Resource>>
  readonly rest?: Readonly<Record<string, unknown>>
  /** Fields of the path and of the query that name no resource. */
  readonly fixed?: Values
  readonly fixedQuery?: Values
}

/**
 * The forms of every call; none when it names no resource. The test fails for a published call that is missing here.
 */
const forms: Readonly<Record<string, readonly Form[]>> = {
  'GET /api/settings': [],
  'GET /api/auth/userinfo': [],
  'POST /api/auth/id-token': [],
  'GET /api/account': [],
  'POST /api/account/delete': [],
  'GET /api/bots': [],
  'POST /api/bot': [],
  'PUT /api/bot/{name}': [{ path: { name: 'bot' }, rest: { name: 'Renamed', model: 'm' } }],
  'DELETE /api/bot/{name}': [{ path: { name: 'bot' } }],
  'POST /api/bot/models': [{ body: { name: 'bot' }, rest: { base_url: 'http://127.0.0.1:9/' } }],
  'POST /api/bot/test': [{ body: { name: 'bot' }, rest: { base_url: 'http://127.0.0.1:9/', model: 'm' } }],
  'GET /api/bot/local-models': [],
  'GET /api/projects': [],
  'POST /api/project': [{ body: { bot: 'bot' }, rest: { name: 'New' } }],
  'GET /api/project/{id}': [{ path: { id: 'project' } }],
  'PUT /api/project/{id}': [{ path: { id: 'project' }, body: { bot: 'bot' } }],
  'DELETE /api/project/{id}': [{ path: { id: 'project' } }],
  'GET /api/mcp-servers': [],
  'POST /api/mcp-server': [],
  'GET /api/browse-connectors': [],
  'PUT /api/mcp-server/{name}': [
    {
      path: { name: 'connector' },
      rest: { name: 'Renamed', url: 'http://127.0.0.1:9/', block_tools: ['act'] },
    },
  ],
  'PATCH /api/mcp-server/{name}': [
    { path: { name: 'connector' }, rest: { tools: [{ name: 'act', permission: 'block' }], asks: false } },
  ],
  'DELETE /api/mcp-server/{name}': [{ path: { name: 'connector' } }],
  'POST /api/mcp-server/{name}/connect': [{ path: { name: 'connector' }, rest: {} }],
  'POST /api/mcp-server/{name}/disconnect': [{ path: { name: 'connector' } }],
  'GET /api/mcp-server/{name}/calls': [{ path: { name: 'connector' } }],
  'GET /api/mcp-server/{name}/account': [{ path: { name: 'connector' } }],
  'GET /api/mcp-server/{name}/tools/{tool}': [{ path: { name: 'connector' }, fixed: { tool: 'act' } }],
  'GET /api/grants': [],
  'POST /api/grants': [
    {
      body: { server: 'connector', bot: 'bot', chatId: 'chat' },
      rest: { tool: 'act', fingerprint: 'any', minutes: 5 },
    },
  ],
  'DELETE /api/grants': [{ query: { server: 'connector' } }],
  'DELETE /api/grants/{id}': [{ path: { id: 'grant' } }],
  'GET /api/tool-calls': [],
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
  'GET /api/chat/id': [{ query: { project: 'project' } }],
  'GET /api/chats': [],
  'PATCH /api/chats': [
    { body: { 'chats[]': 'chat' }, rest: { change: { pinned: true } } },
    { body: { 'chats[]': 'runningChat', 'change.project_id': 'project' } },
  ],
  'POST /api/chats/purge': [{ body: { 'chats[]': 'deletedChat' } }],
  'GET /api/chat-list': [{ query: { project: 'project' }, fixedQuery: { section: 'project' } }],
  'GET /api/chat-list/marks': [],
  'GET /api/chats/{id}': [{ path: { id: 'chat' } }],
  'GET /api/chat/{id}/export': [{ path: { id: 'chat' }, fixedQuery: { format: 'json' } }],
  'GET /api/transfers': [],
  'POST /api/exports': [],
  'POST /api/exports/{id}/cancel': [{ path: { id: 'export' } }],
  'POST /api/exports/{id}/link': [{ path: { id: 'export' } }],
  // Everyone with its link may read it (`export-routes.test.ts`).
  'GET /api/exports/{id}/file': [],
  'POST /api/imports': [],
  'PUT /api/imports/{id}/files/{number}': [{ path: { id: 'import' }, fixed: { number: '0' } }],
  'POST /api/imports/{id}/start': [{ path: { id: 'import' }, body: { bot: 'bot' } }],
  'POST /api/imports/{id}/cancel': [{ path: { id: 'import' } }],
  'GET /api/drafts': [],
  'PUT /api/drafts': [],
  'GET /api/files': [],
  'POST /api/files': [],
  'GET /api/files/{id}': [{ path: { id: 'file' } }],
  'DELETE /api/files/{id}': [{ path: { id: 'file' } }],
  // Of files that are not the user's, it says nothing (`file-routes.test.ts`).
  'POST /api/files/plan': [{ body: { botName: 'bot' }, rest: { files: [] } }],
  'GET /api/chats/{id}/messages/{messageId}/prompt': [{ path: { id: 'chat', messageId: 'reply' } }],
  'PUT /api/chats/{id}/compactions/{compactionId}': [
    { path: { id: 'chat', compactionId: 'compaction' }, rest: { content: 'Mine.' } },
  ],
  'DELETE /api/chats/{id}/compactions/{compactionId}': [{ path: { id: 'chat', compactionId: 'compaction' } }],
  'POST /api/chats/{id}/compactions/{compactionId}/rewrite': [
    { path: { id: 'chat', compactionId: 'compaction' }, body: { botName: 'bot' } },
  ],
  'GET /api/chats/{id}/usage': [{ path: { id: 'chat' }, query: { messageIds: 'reply' } }],
  'GET /api/usage': [],
  'GET /api/usage.csv': [],
  'POST /api/tool/confirm': [
    {
      body: { botName: 'bot', server: 'connector', chatId: 'approvalChat', messageId: 'approvalCall' },
      rest: { tool: 'act', args: {} },
    },
  ],
  'PUT /api/tool/step-decision': [
    { body: { chatId: 'stepChat', messageId: 'stepCall' }, rest: { callId: laterCallId, allow: true } },
  ],
  'POST /api/tool/answer': [
    {
      body: { chatId: 'elicitationChat', messageId: 'elicitationCall', questionId: 'elicitation' },
      rest: { answer: { action: 'decline' } },
    },
  ],
  'POST /api/chat/select-response': [{ body: { chatId: 'chat', messageId: 'reply' } }],
  'POST /api/chat/completions': [
    { body: { chatId: 'chat', botName: 'bot', parentId: 'reply' }, rest: { content: 'more' } },
    { body: { chatId: 'chat', botName: 'bot', userMessageId: 'userMessage' } },
  ],
  'POST /api/chat/stop': [{ body: { chatId: 'runningChat' } }],
  'GET /api/chat/queue': [{ query: { chatId: 'runningChat' } }],
  'POST /api/chat/queue': [
    { body: { chatId: 'chat', botName: 'bot', parentId: 'reply' }, rest: { id: 'new', content: 'more' } },
  ],
  'PATCH /api/chat/queue/{id}': [
    { path: { id: 'queued' }, body: { chatId: 'runningChat' }, rest: { steers: true } },
    { path: { id: 'queued' }, body: { chatId: 'runningChat', botName: 'bot' } },
  ],
  'DELETE /api/chat/queue/{id}': [{ path: { id: 'waiting' }, query: { chatId: 'chat' } }],
  'POST /api/chat/queue/{id}/send': [{ path: { id: 'queued' }, body: { chatId: 'runningChat' } }],
  'POST /api/chat/queue/continue': [
    { body: { chatId: 'runningChat' }, rest: { id: 'queued', paused: 'stopped' } },
  ],
  'GET /api/chat/{id}/stream': [
    { path: { id: 'runningChat' } },
    { path: { id: 'chat' }, query: { messageId: 'reply' } },
  ],
  'GET /api/notifications': [],
  'PATCH /api/notifications': [],
  'POST /api/notifications/devices': [],
  'DELETE /api/notifications/devices/{id}': [{ path: { id: 'device' } }],
  'POST /api/notifications/devices/{id}/test': [{ path: { id: 'device' } }],
  'PUT /api/notifications/webhook': [],
  'DELETE /api/notifications/webhook': [],
  'POST /api/notifications/webhook/test': [],
  'PUT /api/notifications/presence': [],
  'GET /api/live': [],
  'POST /api/share/{chatId}': [{ path: { chatId: 'chat' }, body: { messageId: 'reply' } }],
  'GET /api/shares': [],
  'GET /api/inbox': [],
  'PATCH /api/share/{id}': [{ path: { id: 'share' }, rest: { files: true } }],
  'DELETE /api/share/{id}': [{ path: { id: 'share' } }],
  // Every user with the link may read the share.
  'GET /api/share/{id}': [],
  'GET /api/share/{id}/files/{fileId}': [],
}

/** Fields that `namesResource` matches and that name no existing resource. */
const otherFields = new Set([
  'POST /api/bot body.name',
  'PUT /api/bot/{name} body.name',
  'POST /api/project body.name',
  'PUT /api/project/{id} body.name',
  'POST /api/mcp-server body.name',
  'PUT /api/mcp-server/{name} body.name',
  'POST /api/mcp-server body.client_id',
  'PUT /api/mcp-server/{name} body.client_id',
  // The keys of a browser's subscription.
  'POST /api/notifications/devices body.keys',
  'GET /api/share/{id} path.id',
  'GET /api/share/{id}/files/{fileId} path.id',
  'GET /api/share/{id}/files/{fileId} path.fileId',
  'POST /api/files query.name',
  'GET /api/exports/{id}/file path.id',
  // Whether there is one, and a file belongs to its import.
  'POST /api/imports/{id}/start body.project',
  'PUT /api/imports/{id}/files/{number} path.number',
  // A tool belongs to its connector.
  'GET /api/mcp-server/{name}/tools/{tool} path.tool',
  // The types of integrations have the same names for all users.
  'POST /api/integration body.name',
  'PUT /api/integration/{name} body.name',
  'POST /api/integration/callback/{service} path.service',
  // The id of a new message, and the name of a server that is stored with it.
  'POST /api/chat/completions body.id',
  'POST /api/chat/queue body.id',
  // What the user saw first in the queue. With another id, nothing happens.
  'POST /api/chat/queue/continue body.id',
  'POST /api/chat/completions body.server',
  // Connectors of several users have tools of this name.
  'POST /api/tool/confirm body.tool',
  // The model's id of a call, unique in the step of one message.
  'PUT /api/tool/step-decision body.callId',
  'POST /api/grants body.tool',
])

const namesResource =
  /(^|[a-z_])(ids?|names?|keys?|refs?)$|(Ids?|Names?)$|^(server|tool|parent|chat|message|bot|run|share|project)$/
/** Fields that contain a secret, not a name. */
const secretFields = /^api_key$/
/** Not of what stays when a chat is deleted, nor of one that is deleted already. */
const isOfChat = (resource: Resource): boolean =>
  ![
    'bot',
    'connector',
    'integration',
    'project',
    'grant',
    'file',
    'device',
    'deletedChat',
    'export',
    'import',
  ].includes(resource)
/**
 * What these name has gone by the calls before: the file is in a message, and goes with its chat, and a change of a
 * connector takes back what was allowed (their owner succeeds in `grant-routes.test.ts`).
 */
const goneBefore = new Set([
  'DELETE /api/files/{id}',
  'POST /api/grants',
  'DELETE /api/grants',
  'DELETE /api/grants/{id}',
])
const locations = ['path', 'query', 'body'] as const
const resourcesOf = (form: Form): readonly (readonly ['path' | 'query' | 'body', string, Resource])[] =>
  locations.flatMap((location) =>
    Object.entries(form[location] ?? {}).map(([field, resource]) => [location, field, resource] as const),
  )

/** Adds fields to a body. `list[]` is the only item of a list, and `object.field` a field of an object. */
function placeFields(
  body: Readonly<Record<string, unknown>>,
  fields: Values,
): Readonly<Record<string, unknown>> {
  const placed = { ...body }
  for (const [field, value] of Object.entries(fields)) {
    const [name = '', inner] = field.replace('[]', '').split('.')
    if (inner !== undefined) placed[name] = { ...(placed[name] as object), [inner]: value }
    else placed[name] = field.endsWith('[]') ? [value] : value
  }
  return placed
}

describe.each(engines)('the data of another user, on %s', (engine) => {
  let product: ToolApp
  let calls: readonly ApiCall[]
  let ada: UserData
  let eve: UserData

  beforeAll(async () => {
    product = await openToolApp({
      engine,
      environment: userDataEnvironment,
    })
    calls = await listApiCalls(product.app)
    ada = await createUserData(product, 'Ada')
    eve = await createUserData(product, 'Eve')
  })
  afterAll(() => product.close())

  /** Makes a call in one of its forms. `nameOf` returns the value of each field that names a resource. */
  function sendCall(
    call: ApiCall,
    form: Form,
    headers: Readonly<Record<string, string>>,
    nameOf: (location: string, field: string, resource: Resource) => string,
  ) {
    const fill = (location: 'path' | 'query' | 'body') =>
      Object.fromEntries(
        Object.entries(form[location] ?? {}).map(([field, resource]) => [
          field,
          nameOf(location, field, resource),
        ]),
      )
    const path = Object.entries({ ...fill('path'), ...form.fixed }).reduce(
      (address, [field, value]) => address.replace(`{${field}}`, encodeURIComponent(value)),
      call.path,
    )
    const query = new URLSearchParams({ ...form.fixedQuery, ...fill('query') }).toString()
    return sendRequest({
      method: call.method,
      url: `${product.base}${path}${query === '' ? '' : `?${query}`}`,
      headers: { host: 'localhost:3000', ...headers },
      ...(call.hasBody ? { body: JSON.stringify(placeFields(form.rest ?? {}, fill('body'))) } : {}),
    })
  }
  const formsOf = (call: ApiCall) => forms[call.name] ?? []
  const listCalls = () =>
    calls.filter(
      ({ name, method, fields }) =>
        method === 'GET' && fields.path.length === 0 && name !== 'GET /api/chat/queue',
    )
  const sendList = (call: ApiCall, search: string, headers: Readonly<Record<string, string>>) => {
    const days = 'from=2026-11-01&to=2027-10-31&time_zone=UTC'
    const url = `${product.base}${call.path}?search=${search}&limit=100&section=all&${days}`
    return sendRequest({ method: 'GET', url, headers })
  }
  const everyForm = () => calls.flatMap((call) => formsOf(call).map((form) => ({ call, form })))

  it('is requested in every published call', () => {
    expect(calls.map(({ name }) => name).toSorted()).toEqual(Object.keys(forms).toSorted())
    const owned = calls.filter((call) => formsOf(call).length > 0)
    expect(calls.filter(({ permission }) => permission === 'owner')).toEqual(owned)
    const tested = new Set(
      everyForm().flatMap(({ call, form }) =>
        resourcesOf(form).map(([location, field]) => `${call.name} ${location}.${field}`),
      ),
    )
    const published = calls.flatMap((call) =>
      locations.flatMap((location) =>
        call.fields[location]
          .filter((field) => location === 'path' || (namesResource.test(field) && !secretFields.test(field)))
          .map((field) => `${call.name} ${location}.${field}`),
      ),
    )
    expect(published.filter((field) => !tested.has(field) && !otherFields.has(field))).toEqual([])
    expect(tested.size).toBeGreaterThan(15)
  })

  it('does not exist: each field, in each call, has the same response as an unknown id, and nothing is written', async () => {
    const before = await hashTables(product.database)
    const statuses = new Set<number>()
    for (const { call, form } of everyForm()) {
      const fields = resourcesOf(form)
      const choices = [fields, ...fields.map((field) => [field])]
      for (const chosen of choices) {
        const isChosen = (location: string, field: string) =>
          chosen.some(([one, other]) => one === location && other === field)
        const what = `${call.name} with ${chosen.map(([location, field]) => `${location}.${field}`).join()}`
        const sendWith = async (nameOf: (resource: Resource) => string) => {
          const response = await sendCall(call, form, eve.client.headers, (location, field, resource) =>
            isChosen(location, field) ? nameOf(resource) : eve[resource],
          )
          // A refusal may contain the name that was sent.
          const body = chosen.reduce(
            (text, [, , resource]) => text.replaceAll(nameOf(resource), '*'),
            response.body,
          )
          return { what, status: response.statusCode, body }
        }
        const theirs = await sendWith((resource) => ada[resource])
        expect(theirs).toEqual(await sendWith((resource) => `never-${resource}`))
        expect([404, 409], what).toContain(theirs.status)
        const codes = theirs.status === 404 ? ['not_found'] : ['not_resumable', 'conflict']
        expect(JSON.parse(theirs.body), what).toEqual({
          error: { code: expect.toBeOneOf(codes) as string, message: expect.any(String) },
        })
        expect(theirs.body).not.toContain(ada.secret)
        statuses.add(theirs.status)
      }
    }
    expect(statuses).toContain(404)
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('of a deleted chat does not exist for its owner either, and the rest of it stays', async () => {
    const { db } = product.database
    const grace = await createUserData(product, 'Grace')
    const setDeleted = (deleted_at: number | null) =>
      db
        .updateTable('chats')
        .set({ deleted_at })
        .where('user_id', '=', grace.client.user.id)
        .where('deleted_at', deleted_at === null ? 'is not' : 'is', null)
        .execute()
    for (const chatId of [grace.runningChat, grace.elicitationChat])
      await grace.client.post('/api/chat/stop', { chatId })
    await setDeleted(Date.now())
    const before = await hashTables(product.database)
    for (const { call, form } of everyForm()) {
      if (!resourcesOf(form).some(([, , resource]) => isOfChat(resource))) continue
      const sendWith = async (nameOf: (resource: Resource) => string) => {
        const named = (resource: Resource) => (isOfChat(resource) ? nameOf(resource) : grace[resource])
        const response = await sendCall(call, form, grace.client.headers, (_, __, resource) =>
          named(resource),
        )
        return { call: call.name, status: response.statusCode, body: response.body }
      }
      const deleted = await sendWith((resource) => grace[resource])
      // Where the chat would be shown, it can be restored.
      if (['GET /api/chats/{id}', 'GET /api/chat/{id}/export'].includes(call.name))
        expect(deleted.body).toContain('"code":"chat_deleted"')
      else expect(deleted).toEqual(await sendWith(() => 'never-was'))
      expect([404, 409], call.name).toContain(deleted.status)
    }
    const readShare = (id: string) =>
      sendRequest({
        method: 'GET',
        url: `${product.base}/api/share/${id}`,
        headers: { host: 'localhost:3000' },
      })
    const shared = await readShare(grace.share)
    expect([shared.statusCode, shared.body]).toEqual([404, (await readShare('never-was')).body])
    expect(await hashTables(product.database)).toEqual(before)
    for (const call of listCalls()) {
      const { body } = await sendList(call, grace.secret, grace.client.headers)
      for (const id of [
        grace.chat,
        grace.runningChat,
        grace.approvalChat,
        grace.elicitationChat,
        grace.share,
      ])
        expect(body, call.name).not.toContain(id)
    }

    await setDeleted(null)
    expect((await readShare(grace.share)).statusCode).toBe(200)
    expect((await grace.client.readChat(grace.chat)).messages).toHaveLength(2)
    const { chats } = (await grace.client.get(`/api/chats?search=${grace.secret}`)).json<ChatList>()
    expect(chats.map(({ id }) => id)).toContain(grace.chat)
  })

  it('requires a session before anything else, and writes nothing without one (§6.1)', async () => {
    expect(calls.filter(({ permission }) => permission === 'public').map(({ name }) => name)).toEqual([
      'GET /api/settings',
      'GET /api/share/{id}',
      'GET /api/share/{id}/files/{fileId}',
      'GET /api/exports/{id}/file',
    ])
    const before = await hashTables(product.database)
    const invalidHeaders: readonly Readonly<Record<string, string>>[] = [
      {},
      { authorization: 'Bearer garbage' },
      { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.' },
      { authorization: `Basic ${Buffer.from('ada:ada').toString('base64')}` },
      { cookie: ada.client.headers['authorization'] ?? '' },
    ]
    for (const call of calls.filter(({ permission }) => permission !== 'public')) {
      for (const form of formsOf(call).length === 0 ? [{}] : formsOf(call)) {
        for (const headers of invalidHeaders) {
          for (const nameOf of [
            (_: string, __: string, resource: Resource) => ada[resource],
            () => 'never-was',
          ]) {
            const response = await sendCall(call, form, headers, nameOf)
            expect([call.name, response.statusCode]).toEqual([call.name, 401])
            expect(JSON.parse(response.body)).toEqual({
              error: { code: 'unauthenticated', message: expect.any(String) },
            })
          }
        }
      }
    }
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('is in no list, no search and no stream', async () => {
    expect(listCalls().length).toBeGreaterThan(6)
    for (const call of listCalls()) {
      const response = await sendList(call, ada.secret, eve.client.headers)
      expect([call.name, response.statusCode]).toEqual([call.name, 200])
      for (const text of [ada.secret, ada.chat, ada.runningChat, ada.share, ada.reply, ada.client.user.id])
        expect(response.body, call.name).not.toContain(text)
    }
  })

  it('can be requested by its owner with the same calls', async () => {
    const before = await hashTables(product.database)
    const removalOrder = (call: ApiCall) => (call.method === 'DELETE' ? 2 : call.method === 'PUT' ? 1 : 0)
    for (const { call, form } of everyForm().toSorted(
      (a, b) => removalOrder(a.call) - removalOrder(b.call),
    )) {
      const isRenamed = (field: string) =>
        (removalOrder(call) === 2 && call.path.includes('{name}')) ||
        (removalOrder(call) === 1 && field === 'bot')
      const response = await sendCall(call, form, ada.client.headers, (_location, field, resource) =>
        isRenamed(field) ? 'Renamed' : ada[resource],
      )
      if (!goneBefore.has(call.name))
        expect([400, 401, 404, 409, 500], `${call.name}: ${response.body}`).not.toContain(response.statusCode)
      await expect.poll(async () => (await ada.client.readChat(ada.chat)).run, { interval: 5 }).toBeNull()
    }
    const after = await hashTables(product.database)
    const changed = Object.keys(before).filter((table) => before[table] !== after[table])
    expect(changed).toEqual(
      expect.arrayContaining(['bots', 'chats', 'connectors', 'integrations', 'messages', 'runs', 'shares']),
    )
  })
})
