import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { Route, Routes } from 'react-router'
import { expect, vi } from 'vitest'
import { ChatScreen } from '../app/screens/chat-screen.tsx'
import { MaxGrantHoursContext } from '../data/max-grant-hours.ts'
import { ToastRegion } from '../ui/toast/toast-region.tsx'
import { renderScreen } from './render-screen.tsx'
import { json, ScriptedApi, ScriptedRun } from './scripted-api.ts'
import { makeChat, makeConnector, makeMessage, makeTool, owlAndFox } from './wire-objects.ts'

export const message = (id: string, parent: string | null, more: Partial<Message> = {}): Message =>
  makeMessage(id, parent, { content: '', timestamp: '2026-11-20T10:00:00.000Z', unix_timestamp: 0, ...more })
export const question = message('u1', null, { content: 'How much is 2 + 3?' })
export const call = (id: string, parent: string, more: Partial<Message> = {}) =>
  message(id, parent, {
    role: 'assistant',
    bot: 'Owl',
    server: 'default',
    tool: 'calculate',
    arguments: '{"expression":"2 + 3"}',
    call: { state: 'waiting', title: 'Calculator', fingerprint: 'f1', credential: 'c 1' },
    ...more,
  })
export const result = (id: string, parent: string, more: Partial<Message> = {}) =>
  message(id, parent, {
    server: 'default',
    tool: 'calculate',
    content: '5',
    outcome: { status: 'done', duration: 12, parts: [{ type: 'text', text: '5' }] },
    ...more,
  })
export const reply = (id: string, parent: string, content = 'It is five.') =>
  message(id, parent, { role: 'assistant', bot: 'Owl', content })
/** The fields of a reply whose call has its result. */
export const answered = { call: { state: 'answered', title: 'Calculator' } } as const

/** A reply without text yet. */
export const emptyReply = (id: string, parent: string) =>
  message(id, parent, { role: 'assistant', bot: 'Owl', status: 'streaming' })

export const chatOf = (...messages: Message[]): Chat => makeChat(messages)

export const connector = makeConnector({
  name: 'default',
  url: 'builtin://default',
  status: 'connected',
  is_default: true,
  allow_tools: ['get_time'],
  tools: [
    makeTool('calculate', { title: 'Calculator', description: 'Computes an expression.', fingerprint: 'f1' }),
  ],
})

/** Reports every element as visible, because the test environment computes no layout. */
export function showAllElements(): void {
  const Observer = class {
    readonly #onSeen: IntersectionObserverCallback
    constructor(onSeen: IntersectionObserverCallback) {
      this.#onSeen = onSeen
    }
    observe(target: Element): void {
      this.#onSeen([{ target, isIntersecting: true } as IntersectionObserverEntry], this as never)
    }
    unobserve = () => undefined
    disconnect = () => undefined
  }
  vi.stubGlobal('IntersectionObserver', Observer)
}

/** Renders the screen of a chat with tools in which the user has selected Fox, and waits until its list of bots is shown. */
export async function openToolChat(
  chat: Chat,
  api = new ScriptedApi(),
  known = connector,
  maxGrantHours = Infinity,
) {
  vi.stubGlobal('scrollTo', () => undefined)
  localStorage.setItem('chat_c1_selectedBot', 'Fox')
  api
    .on('GET /api/bots', () => json(owlAndFox))
    .on('GET /api/chats/c1', () => json(chat))
    .on('GET /api/mcp-servers', () => json([known]))
  const view = renderScreen(
    api,
    <MaxGrantHoursContext value={maxGrantHours}>
      <Routes>
        <Route path="/chat/:id" element={<ChatScreen user={{ sub: 'me' }} />} />
      </Routes>
      <ToastRegion />
    </MaxGrantHoursContext>,
    '/chat/c1',
  )
  await screen.findByRole('combobox', { name: 'Bot' })
  return { api, view }
}

/**
 * Opens a chat whose reply 'a1' is being written: `messages` contain the events up to `seq`, and `stream` sends the
 * following ones.
 */
export async function openRunning(seq: number, messages: readonly Message[]) {
  const api = new ScriptedApi()
  const stream = new ScriptedRun(api, 'a1', seq)
  const { view } = await openToolChat({ ...chatOf(...messages), run: { message_id: 'a1', seq } }, api)
  return { api, stream, view }
}

/** Presses a button that requests a run. Returns what was sent, and the run. */
export async function pressForRun(api: ScriptedApi, name: string, path = '/api/chat/completions') {
  const stream = api.runs(`POST ${path}`)
  await userEvent.click(button(name))
  const requests = api.seen(`POST ${path}`)
  expect(requests).toHaveLength(1)
  return { sent: requests[0]?.body, stream: stream() }
}

/** Sends a message and starts its reply 'a1'. Returns its run. */
export async function send(api: ScriptedApi, content: string): Promise<ScriptedRun> {
  const stream = api.runs('POST /api/chat/completions')
  await userEvent.type(screen.getByPlaceholderText('Type your message...'), `${content}{Enter}`)
  const sent = api.seen('POST /api/chat/completions')[0]!.body as { id: string; parentId: string | null }
  stream().send({
    type: 'started',
    user_message: message(sent.id, sent.parentId, { content }),
    assistant_message: emptyReply('a1', sent.id),
  })
  return stream()
}

/** Streams a whole reply, and waits until it is shown. */
export async function streamReply(stream: ScriptedRun, text: string, asked: Message, replyId: string) {
  stream.send({ type: 'started', user_message: asked, assistant_message: emptyReply(replyId, asked.id) })
  stream.text(text)
  stream.end()
  expect(await screen.findByText(text)).toBeVisible()
}

export const button = (name: string) => screen.getByRole('button', { name })
export const block = () => screen.getByRole('region', { name: 'Tool call: Calculator' })
export const turns = () => screen.getAllByRole('article')
/** Waits until no reply is being written. */
export const waitForTurnEnd = () => screen.findByRole('button', { name: 'Send message' })
