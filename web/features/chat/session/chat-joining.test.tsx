import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import {
  articles,
  beginReply,
  input,
  message,
  openChat,
  reply,
  send,
  shortChat,
} from '../../../testing/chat-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { renderScreen } from '../../../testing/render-screen.tsx'
import { failure, json, ScriptedApi, ScriptedRun, settle } from '../../../testing/scripted-api.ts'
import { makeChat } from '../../../testing/wire-objects.ts'
import { ChatView } from '../chat-view.tsx'

const runningChat = {
  ...shortChat,
  messages: [message('u1', null), reply('a1', 'u1', { content: 'One, two', status: 'streaming' })],
  run: { message_id: 'a1', seq: 7 },
}
const setStream = (api: ScriptedApi, state: 'open' | 'lost' | 'held') =>
  act(() => api.client.live.state.set(state))

test('joins the run that is being written when a chat is opened, after the event that was read', async () => {
  const { api } = openChat(runningChat)
  expect(await screen.findByText('One, two')).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Stop' })).toBeVisible()
  const run = new ScriptedRun(api, 'a1', 7)
  run.text(', three')
  run.end()
  expect(await screen.findByText('One, two, three')).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Send message' })).toBeVisible()
  expect(api.seen('GET /api/chats/c1')).toHaveLength(1)
})

test('loads the chat when an event is missing, and continues after the event that was read', async () => {
  const { api } = openChat(runningChat)
  await screen.findByText('One, two')
  const missed = new ScriptedRun(api, 'a1', 8)
  missed.text(', four')
  await waitFor(() => expect(api.seen('GET /api/chats/c1')).toHaveLength(2))
  expect(screen.queryByText(/four/)).toBeNull()
  const more = reply('a1', 'u1', { content: 'One, two, three, four', status: 'streaming' })
  api.on('GET /api/chats/c1', () =>
    json({ ...runningChat, messages: [message('u1', null), more], run: { message_id: 'a1', seq: 9 } }),
  )
  missed.text(', five')
  expect(await screen.findByText('One, two, three, four')).toBeVisible()
  missed.text(', six')
  expect(api.seen('GET /api/chats/c1').length).toBeGreaterThan(2)
})

test.each(['lost', 'held'] as const)(
  'reads a running chat every two seconds while the live stream is %s, and shows the end',
  async (state) => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
    const { api } = openChat(runningChat)
    await screen.findByText('One, two')
    setStream(api, state)
    expect(screen.queryAllByText('The connection was lost. Reconnecting...')).toHaveLength(
      state === 'lost' ? 1 : 0,
    )
    await act(() => vi.advanceTimersByTimeAsync(2_100))
    expect(api.seen('GET /api/chats/c1')).toHaveLength(2)
    api.on('GET /api/chats/c1', () =>
      json({
        ...shortChat,
        messages: [message('u1', null), reply('a1', 'u1', { content: 'One, two, three' })],
      }),
    )
    await act(() => vi.advanceTimersByTimeAsync(2_100))
    expect(await screen.findByText('One, two, three')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Send message' })).toBeVisible()
    expect(screen.queryByText(/The connection was lost/)).toBeNull()
    await act(() => vi.advanceTimersByTimeAsync(10_000))
    expect(api.seen('GET /api/chats/c1')).toHaveLength(3)
    vi.useRealTimers()
  },
)

test('reads nothing again and again while the live stream is open', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
  const { api } = openChat(runningChat)
  await screen.findByText('One, two')
  setStream(api, 'lost')
  setStream(api, 'open')
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  expect(api.seen('GET /api/chats/c1')).toHaveLength(1)
  vi.useRealTimers()
})

test('shows the reply of a message that the server has already, sent again after its response was lost', async () => {
  expectConsole('error', /Error sending message/)
  const { api } = openChat(shortChat)
  api.on('POST /api/chat/completions', () => new Response('<html>', { status: 200 }))
  api.on('GET /healthz', () => new Response('', { status: 502 }))
  await send('Hello')
  const again = await screen.findByRole('button', { name: 'Send again' })
  const { id } = api.seen('POST /api/chat/completions')[0]!.body as { id: string }
  api
    .on('POST /api/chat/completions', () => Response.json({ chatId: 'c1', started: null }, { status: 202 }))
    .on('GET /api/chats/c1', () =>
      json(makeChat([...shortChat.messages, message(id, 'a1'), reply('a2', id, { content: 'Good day.' })])),
    )
  await userEvent.click(again)
  expect(await screen.findByText('Good day.')).toBeVisible()
  expect(articles()).toHaveLength(4)
  expect(localStorage.getItem('chat_c1_outbox')).toBeNull()
})

test('shows why a reply could not be stored, and the text that has arrived', async () => {
  const { api, server } = await beginReply('Hello', 'Half')
  const text = 'The server could not store this reply, so it was ended. Regenerate it later.'
  const error = { code: 'storage_full', message: text } as const
  act(() => api.client.live.emit({ type: 'run_lost', chatId: 'c1', messageId: 'a9', error }))
  server.stream().end('interrupted')
  expect(await screen.findByText(text)).toBeVisible()
  expect(screen.getByText('Half')).toBeVisible()
  expect(screen.getByText(/^Interrupted/)).toBeVisible()
  await userEvent.type(input(), 'Again{Enter}')
  await waitFor(() => expect(screen.queryByText(text)).toBeNull())
})

test('loads a chat again when it is reopened, and keeps the message that was not sent', async () => {
  expectConsole('error', /Error sending message/)
  const { api, view } = openChat(shortChat)
  api.on('POST /api/chat/completions', () => failure(500, 'internal', 'Going down.'))
  await send('Hello')
  expect(await screen.findByText('Not sent. Going down.')).toBeVisible()
  await settle()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  view.unmount()
  await vi.advanceTimersByTimeAsync(7000)
  vi.useRealTimers()
  let respond = (_chat: Response) => {}
  api.on('GET /api/chats/c1', () => new Promise<Response>((resolve) => (respond = resolve)))
  renderScreen(api, <ChatView chatId="c1" />)
  expect(screen.getByLabelText('Loading the chat')).toBeVisible()
  expect(articles()).toHaveLength(0)
  await settle()
  respond(json(makeChat([...shortChat.messages, message('u2', 'a1'), reply('a2', 'u2')])))
  expect(await screen.findByText('Not sent. Going down.')).toBeVisible()
  expect(articles()).toHaveLength(4)
})

test('requests a chat that was not found when it is opened again', async () => {
  expectConsole('error', /404/)
  const api = new ScriptedApi().on('GET /api/bots', () => json([]))
  api.on('GET /api/chats/c1', () => failure(404, 'not_found', 'Gone.'))
  const first = renderScreen(api, <ChatView chatId="c1" />, '/chat/c1')
  await waitFor(() => expect(first.path()).toBe('/'))
  first.unmount()
  await settle()
  api.on('GET /api/chats/c1', () => json(shortChat))
  const second = renderScreen(api, <ChatView chatId="c1" />, '/chat/c1')
  await waitFor(() => expect(articles()).toHaveLength(2))
  expect(second.path()).toBe('/chat/c1')
})
