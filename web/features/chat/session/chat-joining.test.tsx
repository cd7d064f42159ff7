import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import {
  respondWithStream,
  articles,
  beginReply,
  emptyChat,
  input,
  message,
  openChat,
  reply,
  send,
  shortChat,
} from '../../../testing/chat-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { renderScreen } from '../../../testing/render-screen.tsx'
import { failure, json, ScriptedApi, settle } from '../../../testing/scripted-api.ts'
import { makeChat } from '../../../testing/wire-objects.ts'
import { ChatView } from '../chat-view.tsx'

test('joins the run that is being written when a chat is opened, after the event that was read', async () => {
  const api = new ScriptedApi()
  const stream = api.stream('GET /api/chat/c1/stream', 7)
  openChat(
    {
      ...shortChat,
      messages: [message('u1', null), reply('a1', 'u1', { content: 'One, two', status: 'streaming' })],
      run: { message_id: 'a1', seq: 7 },
    },
    api,
  )
  expect(await screen.findByText('One, two')).toBeVisible()
  await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
  expect(api.seen('GET /api/chat/c1/stream')[0]?.headers.get('last-event-id')).toBe('7')
  expect(await screen.findByRole('button', { name: 'Stop' })).toBeVisible()
  stream().text(', three')
  stream().end()
  expect(await screen.findByText('One, two, three')).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Send message' })).toBeVisible()
})

test('reconnects without a missing or repeated event when the connection is lost', async () => {
  expectConsole('error', /The stream broke/)
  const { api, server } = await beginReply('Count', 'one ')
  const second = api.stream('GET /api/chat/c1/stream', 1)
  server.stream().cut()
  await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
  expect(api.seen('GET /api/chat/c1/stream')[0]?.headers.get('last-event-id')).toBe('2')
  // The server may repeat events.
  second().text('one ')
  second().text('two')
  second().end()
  expect(await screen.findByText('one two')).toBeVisible()
  await screen.findByRole('button', { name: 'Send message' })
})

test('reconnects after the server has refused a reconnection because of its limits', async () => {
  expectConsole('error', /The stream broke/)
  const { api, server } = await beginReply('Count', 'one ')
  api.on('GET /api/chat/c1/stream', () => failure(429, 'rate_limited', 'Too many requests.'))
  const reads = api.seen('GET /api/chats/c1').length
  server.stream().cut()
  await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
  const second = api.stream('GET /api/chat/c1/stream', 2)
  await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(2), { timeout: 10_000 })
  second().text('two')
  second().end()
  expect(await screen.findByText('one two')).toBeVisible()
  expect(api.seen('GET /api/chats/c1')).toHaveLength(reads)
})

test('reconnects when an event is missing', async () => {
  expectConsole('error', /The stream broke/)
  const { api, server } = await beginReply('Count')
  const second = api.stream('GET /api/chat/c1/stream', 1)
  server.stream().write(JSON.stringify({ type: 'text', seq: 5, choices: [{ delta: { content: 'late' } }] }))
  await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
  second().text('all of it')
  second().end()
  expect(await screen.findByText('all of it')).toBeVisible()
  expect(screen.queryByText(/late/)).toBeNull()
})

test('loads the chat when the server no longer has the run, and announces how it ended', async () => {
  const { api, server } = await beginReply('Hello', 'Half')
  const { id } = api.seen('POST /api/chat/completions')[0]!.body as { id: string }
  expectConsole('error', /The stream broke/)
  api
    .on('GET /api/chat/c1/stream', () => failure(409, 'not_resumable', 'Gone.'))
    .on('GET /api/chats/c1', () =>
      json({
        ...emptyChat,
        messages: [
          message(id, null, { content: 'Hello' }),
          reply('a9', id, { content: 'Half a', status: 'interrupted' }),
        ],
        selected_message_id: 'a9',
      }),
    )
  server.stream().cut()
  expect(await screen.findByText(/^Interrupted/)).toBeVisible()
  expect(screen.getByText('Half a')).toBeVisible()
  expect(screen.getByText('Reply interrupted. Half a')).toBeInTheDocument()
  expect(screen.getByRole('button', { name: 'Send message' })).toBeVisible()
})

test('shows why a reply could not be stored, and the text that has arrived', async () => {
  const { api, server } = await beginReply('Hello', 'Half')
  expectConsole('error', /The stream broke/)
  const second = api.stream('GET /api/chat/c1/stream', 2)
  const message = 'The server could not store this reply, so it was ended. Regenerate it later.'
  server.stream().write(JSON.stringify({ error: { code: 'storage_full', message } }))
  await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
  second().end('interrupted')
  expect(await screen.findByText(message)).toBeVisible()
  expect(screen.getByText('Half')).toBeVisible()
  expect(screen.getByText(/^Interrupted/)).toBeVisible()
  await userEvent.type(input(), 'Again{Enter}')
  await waitFor(() => expect(screen.queryByText(message)).toBeNull())
})

test('reconnects when the stream has sent nothing for 40 s, not even a heartbeat', async () => {
  const { api } = openChat(emptyChat)
  const server = respondWithStream(api)
  await screen.findByRole('combobox')
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await userEvent.setup({ advanceTimers: vi.advanceTimersByTime }).type(input(), 'Hello{Enter}')
    server.started()
    server.stream().text('one ')
    await screen.findByText('one')
    await act(() => vi.advanceTimersByTimeAsync(30_000))
    server.stream().write('{"type":"heartbeat"}')
    await act(() => vi.advanceTimersByTimeAsync(30_000))
    expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(0)
    const second = api.stream('GET /api/chat/c1/stream', 2)
    expectConsole('error', /The stream broke/)
    await act(() => vi.advanceTimersByTimeAsync(15_000))
    await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
    second().text('two')
    second().end()
    expect(await screen.findByText('one two')).toBeVisible()
  } finally {
    vi.useRealTimers()
  }
})

test('requests nothing when the stream ends after the page of the chat is gone, as after a sign-out', async () => {
  expectConsole('error', /The stream broke/)
  const { api, view } = openChat(emptyChat)
  const server = respondWithStream(api)
  const rejections: unknown[] = []
  const collect = (reason: unknown) => void rejections.push(reason)
  process.on('unhandledRejection', collect)
  try {
    await send('Hello')
    server.started()
    server.stream().text('Half')
    await screen.findByText('Half')
    api.on('GET /api/chat/c1/stream', () => failure(409, 'not_resumable', 'Gone.'))
    view.unmount()
    server.stream().cut()
    await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
    await settle()
    expect(rejections).toEqual([])
    expect(api.seen('GET /api/chats/c1')).toHaveLength(1)
  } finally {
    process.off('unhandledRejection', collect)
  }
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
