import type { Chat } from '@yonder/contract/chat'
import { startScriptedModel, type ScriptedModel } from '../models/scripted-model.ts'
import { createRequestClient, overHttp } from '../send-request.ts'
import { openTestApp, type TestApp, type TestAppOptions, type TestClient } from '../test-app.ts'
import type { TestStream } from './open-stream.ts'

export const botName = 'Helper'

/** The client of a user with a bot. */
export interface ChatClient extends TestClient {
  newChat(): Promise<string>
  readChat(chatId: string): Promise<Chat>
  /** Requests a completion and reads its stream. */
  complete(body: Readonly<Record<string, unknown>>): Promise<TestStream>
  send(chatId: string, content: string, more?: Readonly<Record<string, unknown>>): Promise<TestStream>
  /** Allows a call, and reads the stream that continues with it. */
  confirm(body: Readonly<Record<string, unknown>>): Promise<TestStream>
  followUrl(url: string): Promise<TestStream>
  follow(chatId: string, after?: number, headers?: Readonly<Record<string, string>>): Promise<TestStream>
}

export interface ChatApp extends TestApp {
  readonly model: ScriptedModel
  readonly base: string
  /** Signs in a user with a bot that uses the scripted model. */
  join(name?: string): Promise<ChatClient>
}

/** Starts a server and the model that it calls. */
export async function openChatApp(
  options: TestAppOptions & { readonly model?: ScriptedModel } = {},
): Promise<ChatApp> {
  const model = options.model ?? (await startScriptedModel())
  const product = await openTestApp({
    ...options,
    environment: { DEFAULT_MODEL_BASE_URL: model.baseUrl, ...options.environment },
  })
  const base = await product.listen()
  return {
    ...product,
    model,
    base,
    async join(name) {
      const client = createChatClient(base, await product.signIn(name))
      await client.post('/api/bot', { name: botName, model: 'scripted' })
      return client
    },
    async close() {
      await product.close()
      if (options.model === undefined) await model.close()
    },
  }
}

/** Creates the client of a signed-in user at the server with this address. */
export function createChatClient(base: string, client: TestClient): ChatClient {
  const requests = createRequestClient(overHttp(base), client.headers)
  const requestStream =
    (path: string) =>
    (body: Readonly<Record<string, unknown>>): Promise<TestStream> =>
      requests.stream(path, { botName, ...body })
  const complete = requestStream('/api/chat/completions')
  return {
    ...client,
    ...requests,
    newChat: async () => (await requests.get('/api/chat/id')).json<{ id: string }>().id,
    readChat: async (chatId) => (await requests.get(`/api/chats/${chatId}`)).json<Chat>(),
    complete,
    confirm: requestStream('/api/tool/confirm'),
    send: (chatId, content, more) => complete({ chatId, content, ...more }),
    followUrl: (url) => requests.stream(url),
    follow: (chatId, after, headers) =>
      requests.stream(
        `/api/chat/${chatId}/stream${after === undefined ? '' : `?after=${after}`}`,
        undefined,
        headers,
      ),
  }
}
