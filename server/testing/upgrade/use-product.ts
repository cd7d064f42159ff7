import { setTimeout as wait } from 'node:timers/promises'
import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import type { Transfer, Transfers } from '@yonder/contract/transfer'
import { uploadFile } from '../files/upload-file.ts'
import { exportedChat, exportedMessage, makeExport } from '../imports/make-export.ts'
import { startApiKeyMcpServer } from '../mcp/api-key-mcp-server.ts'
import { startOAuthMcpServer } from '../mcp/oauth-mcp-server.ts'
import { startScriptedModel, type ScriptedModel, type Step } from '../models/scripted-model.ts'
import { overHttp, type RequestClient, type TestResponse } from '../send-request.ts'
import { fixtureSecrets, fixtureUrl } from './fixtures.ts'

/** The servers that the users of a fixture use. */
export interface StandIns {
  readonly model: ScriptedModel
  readonly tools: { readonly url: string }
  readonly guarded: { readonly url: string }
  close(): Promise<void>
}

/** A PNG image of one pixel. */
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A reply that calls the tool of the connector `Tools`. */
const callingReply: readonly Step[] = [
  { reasoning: 'The tool can draw.' },
  'I will draw it.',
  { toolCall: { name: 'tools__draw', arguments: '{"subject":"lighthouse"}' } },
]

/** Starts the servers, with the replies that `useProduct` needs. */
export async function startStandIns(): Promise<StandIns> {
  const [model, tools, guarded] = await Promise.all([
    startScriptedModel(),
    startApiKeyMcpServer({ name: 'tools', tool: 'draw', result: 'A drawing of a lighthouse.', image }),
    startOAuthMcpServer(),
  ])
  model.when('harbour', [
    { reasoning: 'A harbour, then.' },
    'The harbour is quiet at night.',
    { usage: { prompt_tokens: 20, completion_tokens: 8 } },
  ])
  model.when('Fail', [{ status: 400, body: { error: { message: 'The model refuses this.' } } }])
  model.when('Summarise these messages in at most', ['A summary about lighthouses.'])
  return {
    model,
    tools,
    guarded,
    close: async () => {
      await Promise.all([model.close(), tools.close(), guarded.close()])
    },
  }
}

/** Uses a version through its API as two users would, so that it stores settings, secrets, chats, calls and a share. */
export async function useProduct(
  standIns: StandIns,
  [ada, grace]: readonly [RequestClient, RequestClient],
): Promise<void> {
  await createSettings(ada, standIns)
  const chat = await writeBranches(ada)
  await succeed(ada.post(`/api/share/${chat.id}`, { messageId: chat.selected_message_id }))
  await failAndStop(ada, standIns.model)
  await callTools(ada, standIns.model)
  await fillWindow(ada)
  await sendFiles(ada)
  await importChats(ada)
  await succeed(ada.put('/api/notifications/webhook', { url: 'https://hooks.example.com/yonder' }))
  await send(grace, await newChat(grace), 'What does Grace think of the harbour?')
}

async function createSettings(client: RequestClient, { model, tools, guarded }: StandIns): Promise<void> {
  // The first read stores the default connectors.
  await succeed(client.get('/api/mcp-servers'))
  const headers = [{ name: 'X-API-Key', value: fixtureSecrets.connectorHeader }]
  const token = fixtureSecrets.connectorToken
  const connector = { name: 'Tools', url: tools.url, token, headers, allow_tools: [] }
  await succeed(client.post('/api/mcp-server', connector))
  await succeed(client.post('/api/mcp-server/Tools/connect'))
  await succeed(client.post('/api/mcp-server', { name: 'Guarded', url: guarded.url, allow_tools: null }))
  await consent(client, 'Guarded')
  await succeed(
    client.post('/api/bot', {
      name: 'Bot with a key',
      model: 'scripted',
      base_url: model.baseUrl,
      api_key: fixtureSecrets.botKey,
      api_type: 'openai',
      max_tokens: 500,
      instructions: 'Be brief. Today is {{date}}.',
      temperature: 0.5,
      connectors: ['Tools'],
    }),
  )
  const blocked = { tools: [{ name: 'secret', permission: 'block' }] }
  await succeed(client.patch('/api/mcp-server/Guarded', blocked))
  await succeed(
    client.post('/api/project', {
      name: 'Harbours',
      instructions: 'Name the sea of each harbour.',
      bot: 'Bot with a key',
    }),
  )
  const integration = { name: 'search', auth_type: 'api_key', api_key: fixtureSecrets.integrationKey }
  await succeed(client.post('/api/integration', integration))
}

/** Gives the consent that the server of a connector requires. */
async function consent(client: RequestClient, name: string): Promise<void> {
  const started = await succeed(client.post(`/api/mcp-server/${name}/connect`))
  const { authorization_url } = started.json<{ authorization_url: string }>()
  const granted = await fetch(authorization_url, { redirect: 'manual' })
  const back = new URL(granted.headers.get('location') ?? '')
  const cookie = String(started.headers['set-cookie']).split(';')[0] ?? ''
  const finished = await client.get(back.pathname + back.search, { cookie })
  if (finished.statusCode !== 302) throw new Error(`The consent failed: ${finished.body}`)
}

/** A chat with versions of a question and of a reply, of which an older one is selected. */
async function writeBranches(client: RequestClient): Promise<Chat> {
  const [project] = (await client.get('/api/projects')).json<{ id: string }[]>()
  const id = await newChat(client, `?project=${project?.id}`)
  await send(client, id, 'Tell me about the harbour.', { botName: 'Bot with a key' })
  const { messages } = await readChat(client, id)
  const [question, reply] = messages
  await complete(client, { chatId: id, botName: 'Helper', userMessageId: question?.id })
  await send(client, id, 'And the lighthouse? It is 海辺の灯台.')
  await send(client, id, 'A second question at the root', { parentId: null })
  await send(client, id, [
    { type: 'text', text: 'Parts' },
    { type: 'text', text: 'of a message' },
  ])
  await succeed(client.post('/api/chat/select-response', { chatId: id, messageId: reply?.id }))
  return readChat(client, id)
}

/** A chat of another product, with a call of a tool. */
async function importChats(client: RequestClient): Promise<void> {
  const call = { server: 'Web', tool: 'search', arguments: '{"query":"beacon"}' }
  const result = { status: 'done', duration: null, parts: [{ type: 'text', text: 'Three beacons.' }] }
  const messages = [
    exportedMessage('u1', null, { content: 'Where is a beacon?' }),
    exportedMessage('a1', 'u1', { role: 'assistant', content: '', ...call, call: { state: 'answered' } }),
    exportedMessage('r1', 'a1', { ...call, content: 'Three beacons.', outcome: result }),
    exportedMessage('a2', 'r1', { role: 'assistant', content: 'There are three.', model: 'claude-owl' }),
  ]
  const chat = exportedChat(1, { title: 'Beacons', messages, selected_message_id: 'a2' })
  const bytes = makeExport([chat])
  const files = [{ name: 'beacons.zip', size: bytes.length }]
  const { id } = (await succeed(client.post('/api/imports', { files }))).json<Transfer>()
  await succeed(
    overHttp(fixtureUrl).send({
      method: 'PUT',
      url: `/api/imports/${id}/files/0`,
      headers: { ...client.headers, 'content-type': 'application/octet-stream' },
      body: bytes,
    }),
  )
  await endImport(client, 'ready')
  await succeed(client.post(`/api/imports/${id}/start`, { bot: 'Helper', project: true }))
  await endImport(client, 'done')
}

async function endImport(client: RequestClient, end: Transfer['state']): Promise<void> {
  for (;;) {
    const last = (await client.get('/api/transfers')).json<Transfers>().import
    if (last?.state === end) return
    if (last?.state !== 'reading' && last?.state !== 'running')
      throw new Error(`The import failed: ${last?.error}`)
    await wait(50)
  }
}

/** A chat with a text and a picture that the user has attached. */
async function sendFiles(client: RequestClient): Promise<void> {
  const text = await uploadFile(fixtureUrl, client, 'notes.txt', Buffer.from('The keeper is called Ida.\n'))
  const picture = await uploadFile(fixtureUrl, client, 'tower.png', Buffer.from(image, 'base64'))
  const parts = [text, picture].map(({ id, name }) => ({ type: 'file', file: { id, name } }))
  await send(client, await newChat(client), [{ type: 'text', text: 'Read my notes.' }, ...parts])
}

/** A chat with a reply that failed, and one with a reply that the user stopped. */
async function failAndStop(client: RequestClient, model: ScriptedModel): Promise<void> {
  await send(client, await newChat(client), 'Fail, please.')
  const id = await newChat(client)
  const gate = model.gate()
  model.reply(['Half of a', gate])
  const stream = await client.stream('/api/chat/completions', {
    chatId: id,
    botName: 'Helper',
    content: 'Stop',
  })
  await stream.until(({ raw }) => raw.includes('Half of a'))
  await succeed(client.post('/api/chat/stop', { chatId: id }))
  await stream.ended
  gate.open()
}

/**
 * Chats with a call that was approved, one that was approved with other arguments, one that was denied, and one that waits,
 * with a message behind it; then the tool is allowed, for one bot and for all.
 */
async function callTools(client: RequestClient, model: ScriptedModel): Promise<void> {
  const draw = async () => {
    const id = await newChat(client)
    model.reply(callingReply)
    await send(client, id, 'Draw a lighthouse.', { botName: 'Bot with a key' })
    const call = (await readChat(client, id)).messages.at(-1)
    if (call?.call?.state !== 'waiting') throw new Error(`No call waits: ${JSON.stringify(call)}`)
    return { id, call }
  }
  const approved = await draw()
  await confirm(client, approved.id, approved.call)
  const edited = await draw()
  await confirm(client, edited.id, edited.call, { subject: 'harbour' })
  const denied = await draw()
  await send(client, denied.id, 'No, tell me about the harbour.')
  const waiting = await draw()
  const queued = { chatId: waiting.id, id: 'queued-message', botName: 'Helper', content: 'And then a boat.' }
  await succeed(client.post('/api/chat/queue', queued))
  const { server, tool, call } = waiting.call
  await succeed(
    client.post('/api/grants', { server, tool, fingerprint: call?.fingerprint, bot: 'Bot with a key' }),
  )
  const connectors = (await succeed(client.get('/api/mcp-servers'))).json<{ name: string; url: string }[]>()
  const url = connectors.find(({ name }) => name === 'Tools')?.url
  await succeed(client.put('/api/mcp-server/Tools', { name: 'Tools', url, allow_tools: ['draw'] }))
}

async function confirm(
  client: RequestClient,
  chatId: string,
  call: Message,
  edited?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { server, tool, arguments: args, id: messageId } = call
  const body = { botName: 'Bot with a key', server, tool, args, chatId, messageId, edited: edited }
  const stream = await client.stream('/api/tool/confirm', body)
  await stream.ended
}

/** A chat that is longer than the context window of its bot, so that its older messages are summarised. */
async function fillWindow(client: RequestClient): Promise<void> {
  const bot = { name: 'Small window', model: 'scripted', context_window: 2_000 }
  await succeed(client.post('/api/bot', bot))
  const id = await newChat(client)
  for (let turn = 1; turn <= 4; turn++) {
    const content = `${turn}: ${'Lighthouses stand at the sea. '.repeat(60)}`
    await send(client, id, content, { botName: bot.name })
  }
  const { compactions } = await readChat(client, id)
  if (compactions === undefined) throw new Error('Nothing was summarised.')
}

async function newChat(client: RequestClient, query = ''): Promise<string> {
  return (await succeed(client.get(`/api/chat/id${query}`))).json<{ id: string }>().id
}

async function readChat(client: RequestClient, id: string): Promise<Chat> {
  return (await succeed(client.get(`/api/chats/${id}`))).json<Chat>()
}

async function send(
  client: RequestClient,
  chatId: string,
  content: unknown,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await complete(client, { chatId, botName: 'Helper', content, ...more })
}

/** Requests a reply and waits for its end. */
async function complete(client: RequestClient, body: Readonly<Record<string, unknown>>): Promise<void> {
  const stream = await client.stream('/api/chat/completions', body)
  if (stream.status !== 200) throw new Error(`${JSON.stringify(body)}: ${stream.status} ${stream.raw}`)
  await stream.ended
}

async function succeed(sent: Promise<TestResponse>): Promise<TestResponse> {
  const response = await sent
  if (response.statusCode >= 300) throw new Error(`${response.statusCode}: ${response.body}`)
  return response
}
