import type { Chat, ChatList } from '@yonder/contract/chat'
import { filesOfContent } from '@yonder/contract/message-text'
import type { RequestClient } from '../send-request.ts'
import type { RecordedResponse } from './fixtures.ts'

/** Whole words of the fixtures, one without spaces around it, parts of words, and words that no chat has. */
const searches = ['harbour', 'lighthouse', '灯台', 'beacon', 'root quest', 'nothing has this']

/** Reads the settings, chats, usage and searches of a user, as far as the version has them. */
export async function recordUser(client: RequestClient): Promise<RecordedResponse[]> {
  const read = (path: string) => recordResponse(client, path)
  const today = new Date().toISOString().slice(0, 10)
  const responses = [
    await read('/api/auth/userinfo'),
    await read('/api/bots'),
    await read('/api/projects'),
    await read('/api/mcp-servers'),
    await read('/api/mcp-server/Tools/calls'),
    await read('/api/grants'),
    await read('/api/notifications'),
    await read('/api/integrations'),
    await read('/api/shares'),
    await read(`/api/usage?from=${today}&to=${today}&time_zone=UTC`),
    await read('/api/chats?limit=100'),
  ]
  for (const search of searches) responses.push(await read(`/api/chats?search=${encodeURIComponent(search)}`))
  const { chats } = (responses.find(({ path }) => path.startsWith('/api/chats'))?.body ?? {}) as ChatList
  for (const { id } of chats) {
    const chat = await read(`/api/chats/${id}`)
    responses.push(chat)
    for (const path of listPathsOfMessages(chat.body as Chat)) responses.push(await read(path))
  }
  return responses.filter(({ status }) => status !== 404)
}

function listPathsOfMessages({ id, messages }: Chat): readonly string[] {
  const replies = messages.filter(({ role }) => role === 'assistant').map((message) => message.id)
  return [
    `/api/chats/${id}/usage?messageIds=${encodeURIComponent(replies.join(','))}`,
    ...replies.map((reply) => `/api/chats/${id}/messages/${reply}/prompt`),
    ...messages.flatMap((message) => filesOfContent(message.content).map((file) => `/api/files/${file.id}`)),
  ]
}

/** Reads one path. The response is compared with the one of a later version. */
export async function recordResponse(client: RequestClient, path: string): Promise<RecordedResponse> {
  const { statusCode, body, headers } = await client.get(path)
  const isJson = String(headers['content-type']).startsWith('application/json')
  return { path, status: statusCode, body: isJson ? (JSON.parse(body) as unknown) : body }
}
