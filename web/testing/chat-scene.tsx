import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { vi } from 'vitest'
import { ChatView } from '../features/chat/chat-view.tsx'
import { ToastRegion } from '../ui/toast/toast-region.tsx'
import { renderScreen } from './render-screen.tsx'
import { json, ScriptedApi } from './scripted-api.ts'
import { makeChat, makeMessage, owlAndFox } from './wire-objects.ts'

const today = new Date().setHours(9, 5, 0, 0)

export function message(id: string, parent: string | null, more: Partial<Message> = {}): Message {
  return makeMessage(id, parent, {
    timestamp: new Date(today).toISOString(),
    unix_timestamp: today,
    ...more,
  })
}
export const reply = (id: string, parent: string, more: Partial<Message> = {}) =>
  message(id, parent, { role: 'assistant', model: 'owl-1', provider: 'Wood', bot: 'Owl', ...more })

export const emptyChat = makeChat()
export const shortChat = makeChat([message('u1', null), reply('a1', 'u1')])

/** Renders the view of a chat that the server returns. */
export function openChat(chat: Chat, api = new ScriptedApi()) {
  vi.stubGlobal('scrollTo', () => undefined)
  api.on('GET /api/bots', () => json(owlAndFox)).on('GET /api/chats/c1', () => json(chat))
  return {
    api,
    view: renderScreen(
      api,
      <>
        <ChatView chatId="c1" />
        <ToastRegion />
      </>,
      '/chat/c1',
    ),
  }
}

/** Accepts a message. `started` sends the first event of its run, with the id that the client has generated. */
export function acceptRuns(api: ScriptedApi) {
  const route = 'POST /api/chat/completions'
  const stream = api.runs(route)
  const started = (replyId = 'a9') => {
    const sent = api.seen(route).at(-1)!.body as { id: string; content: string; parentId: string | null }
    stream().send({
      type: 'started',
      user_message: message(sent.id, sent.parentId, { content: sent.content }),
      assistant_message: reply(replyId, sent.id, { content: '', status: 'streaming' }),
    })
  }
  return { started, stream, count: () => api.seen(route).length }
}

/** Sends the first message of an empty chat and starts its reply, which then shows `text` if it is given. */
export async function beginReply(question: string, text?: string) {
  const { api } = openChat(emptyChat)
  const server = acceptRuns(api)
  await send(question)
  server.started()
  if (text !== undefined) {
    server.stream().text(text)
    await screen.findByText(text.trim())
  }
  return { api, server }
}

/** A query option that ignores the list of contents, which shows the same texts. */
export const inMessages = { ignore: 'nav *' }
export const input = () => screen.getByPlaceholderText('Type your message...')
export const articles = () => screen.queryAllByRole('article')
export const lastArticle = () => articles().at(-1)!
/** Types a message and sends it once the bots are loaded. */
export const send = async (text: string) => {
  await screen.findByRole('combobox')
  await userEvent.type(input(), `${text}{Enter}`)
}
