import { ownedBy } from '../../access/access.ts'
import { insertFiles } from '../../chats/file-store.ts'
import { addCompaction } from '../factories/chats.ts'
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
  readonly project: string
  readonly deletedChat: string
  readonly share: string
  /** The summary of the messages of `chat`. */
  readonly compaction: string
  /** A chat with a call that needs approval. */
  readonly approvalChat: string
  readonly approvalCall: string
  /** A chat with a call that sent an elicitation. */
  readonly elicitationChat: string
  readonly elicitationCall: string
  readonly elicitation: string
}

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
  const deletedChat = await client.newChat()
  await client.patch('/api/chats', { chats: [deletedChat], change: { deleted: true } })
  const file = { id: `file-of-${name}`, name: 'cat.png', type: 'image/png', size: 3, data: secret }
  await insertFiles(product.database.db, chat, reply.id, [file])
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
  return {
    ...(await openCalls(product, client)),
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
    deletedChat,
    project,
    share: shareId,
    compaction: compaction.id,
  }
}

/** Creates a call that needs approval, and one that runs and has sent an elicitation. */
async function openCalls(product: ToolApp, client: ChatClient) {
  const tools = product.model.requests.at(-1)?.body['tools'] as { function: { name: string } }[]
  const name = tools.find((tool) => tool.function.name.endsWith('__act'))?.function.name ?? ''
  const createCall = async () => {
    product.model.reply([{ toolCall: { name, arguments: '{}' } }])
    const chatId = await client.newChat()
    const stream = await client.send(chatId, 'Act')
    await stream.ended
    return waitingCall(chatId, stream)
  }
  const [waiting, calling] = [await createCall(), await createCall()]
  const confirmed = await client.confirm(calling)
  await confirmed.until(({ run }) => run.messages[1]?.call?.question !== undefined)
  return {
    approvalChat: waiting.chatId ?? '',
    approvalCall: waiting.messageId ?? '',
    elicitationChat: calling.chatId ?? '',
    elicitationCall: calling.messageId ?? '',
    elicitation: confirmed.run.messages[1]?.call?.question?.id ?? '',
  }
}
