import type { PushDevice } from '@yonder/contract/notification'
import { ownedBy } from '../../access/access.ts'
import { insertQueued } from '../../completions/queue/queue-store.ts'
import { insertTransfer } from '../../transfers/transfer-store.ts'
import { addCompaction } from '../factories/chats.ts'
import { addFile } from '../factories/files.ts'
import type { ChatClient } from './open-chat-app.ts'
import { waitingCall, type ToolApp } from './open-tool-app.ts'

/** The settings of an app in which users can have data of every kind. */
export const userDataEnvironment = {
  CONNECTOR_REGISTRY_URL: 'none',
  SELF_SERVICE: 'on',
  GOOGLE_CLIENT_ID: 'here',
  GOOGLE_CLIENT_SECRET: 'secret',
  API_KEY_SERVICES: JSON.stringify([{ name: 'search', url: 'http://127.0.0.1:9/mcp' }]),
} as const

/**
 * The data of one user: the names of `bot`, `connector` and `integration`, and the ids of the rest. `secret` is a text
 * that no other user may read.
 */
export interface UserData {
  readonly client: ChatClient
  readonly secret: string
  readonly bot: string
  readonly connector: string
  readonly integration: string
  readonly chat: string
  /** The user's message in `chat`. */
  readonly userMessage: string
  /** The reply to it. */
  readonly reply: string
  /** A file of the reply. */
  readonly file: string
  /** A chat whose reply is being written. */
  readonly runningChat: string
  /** A message that waits in it. */
  readonly queued: string
  /** A message that waits in a version of `chat` which is not shown. */
  readonly waiting: string
  readonly project: string
  /** A grant with limits for a tool of the connector. */
  readonly grant: string
  readonly deletedChat: string
  readonly export: string
  readonly import: string
  readonly share: string
  /** The summary of the messages of `chat`. */
  readonly compaction: string
  /** A chat with a call that needs approval. */
  readonly approvalChat: string
  readonly approvalCall: string
  /** A chat with a call that needs approval, and a later one of its step whose id is `laterCallId`. */
  readonly stepChat: string
  readonly stepCall: string
  /** A chat with a call that sent an elicitation. */
  readonly elicitationChat: string
  readonly elicitationCall: string
  readonly elicitation: string
  /** A browser to which notifications are pushed. */
  readonly device: string
}

/** The model's id of a later call. */
export const laterCallId = 'laterCall'

/** Signs a user in and creates data of every kind for them, with a running reply and two open calls. */
export async function createUserData(product: ToolApp, name: string): Promise<UserData> {
  const client = await product.join(name)
  const secret = `secret-of-${name}`
  const bot = `Bot with ${secret}`
  const connector = `Tools with ${secret}`
  await client.post('/api/bot', { name: bot, model: 'm', base_url: product.model.baseUrl })
  await product.connect(client, 'elicitation', { name: connector })
  const integration = name === 'Ada' ? 'google-gmail' : 'google-calendar'
  await client.post('/api/integration', { name: integration, auth_type: 'oauth' })
  await client.post('/api/integration', { name: 'search', auth_type: 'api_key', api_key: secret })
  // The first read of the list stores the default connectors.
  await client.get('/api/mcp-servers')
  const chat = await client.newChat()
  const answeredStream = await client.send(chat, `Is it that ${secret}?`)
  await answeredStream.ended
  const [userMessage, reply] = answeredStream.run.messages
  if (userMessage === undefined || reply === undefined)
    throw new Error(`There is no reply: ${answeredStream.raw}`)
  const { shareId } = (await client.post(`/api/share/${chat}`, { messageId: reply.id })).json<{
    shareId: string
  }>()
  const runningChat = await client.newChat()
  product.model.reply([secret, product.model.gate()])
  const stream = await client.send(runningChat, secret)
  await stream.until(({ text }) => text === secret)
  const queued = `queued-of-${name}`
  await client.post('/api/chat/queue', { chatId: runningChat, id: queued, botName: bot, content: secret })
  const waiting = `waiting-of-${name}`
  await insertQueued(product.database.db, {
    chat_id: chat,
    id: waiting,
    ...ownedBy(client.user),
    branch_id: 'elsewhere',
    position: 1,
    content: JSON.stringify(secret),
    bot_id: 'none',
    time_zone: null,
    steers: 0,
    problem: null,
    run_id: null,
    created_at: 1,
  })
  const deletedChat = await client.newChat()
  await client.patch('/api/chats', { chats: [deletedChat], change: { deleted: true } })
  const file = await addFile(
    product.database,
    { userId: client.user.id, chatId: chat, messageId: reply.id },
    { id: `file-of-${name}` },
    Buffer.from(secret),
  )
  const compaction = await addCompaction(product.database.db, {
    id: `summary-of-${name}`,
    chat_id: chat,
    message_id: reply.id,
    content: secret,
  })
  const project = `project-of-${name}`
  await product.database.db
    .insertInto('projects')
    .values({
      id: project,
      ...ownedBy(client.user),
      name: secret,
      instructions: secret,
      bot_id: null,
      created_at: 1,
    })
    .execute()
  const grant = `grant-of-${name}`
  const { id: connectorId } = await product.database.db
    .selectFrom('connectors')
    .select('id')
    .where('user_id', '=', client.user.id)
    .where('name', '=', connector)
    .executeTakeFirstOrThrow()
  await product.database.db
    .insertInto('tool_grants')
    .values({
      id: grant,
      ...ownedBy(client.user),
      connector_id: connectorId,
      // Not the one that is called below.
      name: 'granted',
      fingerprint: 'f',
      definition: '{}',
      bot_id: null,
      chat_id: null,
      ends_at: null,
      rule: JSON.stringify({ argument: 'a', test: 'equals', value: secret }),
      created_at: 1,
      used_at: null,
      uses: 0,
    })
    .execute()
  const transfers = { export: `export-of-${name}`, import: `import-of-${name}` }
  for (const kind of ['export', 'import'] as const)
    await insertTransfer(product.database.db, client.user, {
      id: transfers[kind],
      kind,
      state: kind === 'export' ? 'done' : 'ready',
      files: JSON.stringify([{ id: `bytes-of-${name}`, name: 'any.zip', size: 1 }]),
      created_at: Date.now(),
    })
  return {
    ...(await openCalls(product, client)),
    device: await addNotifications(product, client, name),
    ...transfers,
    client,
    secret,
    bot,
    connector,
    integration,
    chat,
    userMessage: userMessage.id,
    reply: reply.id,
    file: file.id,
    runningChat,
    queued,
    waiting,
    deletedChat,
    project,
    grant,
    share: shareId,
    compaction: compaction.id,
  }
}

/** Stores a row in each table of notifications, and returns the id of the device. */
async function addNotifications({ database: { db } }: ToolApp, client: ChatClient, name: string) {
  const owned = ownedBy(client.user)
  const { id: device } = (
    await client.post('/api/notifications/devices', {
      endpoint: `https://push.invalid/device-of-${name}`,
      // Of RFC 8291.
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    })
  ).json<PushDevice>()
  const url = `https://secret-of-${name.toLowerCase()}.example/`
  await db
    .insertInto('webhooks')
    .values({ ...owned, url, secret: 'sealed', error: null, created_at: 1 })
    .execute()
  await db
    .insertInto('notification_settings')
    .values({ ...owned, settings: JSON.stringify({ kinds: [], with_text: true }) })
    .execute()
  await db
    .insertInto('notices')
    .values({
      ...owned,
      id: `notice-of-${name}`,
      target: device,
      payload: '{}',
      attempts: 1,
      due_at: 1,
      created_at: Date.now(),
      ended_at: 1,
    })
    .execute()
  await client.put('/api/notifications/presence', { tab: 'tab', visible: true })
  return device
}

/** Creates a call that needs approval, and one that runs and has sent an elicitation. */
async function openCalls(product: ToolApp, client: ChatClient) {
  const tools = product.model.requests.at(-1)?.body['tools'] as { function: { name: string } }[]
  const name = tools.find((tool) => tool.function.name.endsWith('__act'))?.function.name ?? ''
  const call = { name, arguments: '{}' }
  const createCall = async (...later: readonly { toolCall: typeof call & { id: string } }[]) => {
    product.model.reply([{ toolCall: call }, ...later])
    const chatId = await client.newChat()
    const stream = await client.send(chatId, 'Act')
    await stream.ended
    return waitingCall(chatId, stream)
  }
  const [waiting, calling] = [await createCall(), await createCall()]
  const step = await createCall({ toolCall: { ...call, id: laterCallId } })
  const confirmed = await client.confirm(calling)
  await confirmed.until(({ run }) => run.messages[1]?.call?.question !== undefined)
  return {
    approvalChat: waiting.chatId ?? '',
    approvalCall: waiting.messageId ?? '',
    stepChat: step.chatId ?? '',
    stepCall: step.messageId ?? '',
    elicitationChat: calling.chatId ?? '',
    elicitationCall: calling.messageId ?? '',
    elicitation: confirmed.run.messages[1]?.call?.question?.id ?? '',
  }
}
