import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { toasts } from '../../lib/toasts.ts'
import {
  acceptRuns,
  articles,
  emptyChat,
  inMessages,
  message,
  openChat,
  reply,
  shortChat,
} from '../../testing/chat-scene.tsx'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { makeBot, makeChat, owlAndFox } from '../../testing/wire-objects.ts'
import { HeaderSlot } from '../../ui/header-slot.tsx'
import { ChatView } from './chat-view.tsx'

test('shows the messages of the selected path with their time, model and provider (§2.26, §7.7, §2.31, §4.26)', async () => {
  openChat({
    ...shortChat,
    messages: [
      ...shortChat.messages,
      reply('sibling', 'u1'),
      message('old', 'a1', { unix_timestamp: new Date(2025, 0, 2).getTime() }),
      reply('timeless', 'old', { unix_timestamp: 0 }),
    ],
    selected_message_id: 'timeless',
  })
  await waitFor(() => expect(articles()).toHaveLength(4))
  const [first, second, old, timeless] = articles()
  expect(first).toHaveTextContent('text of u1')
  expect(within(first!).getByText('09:05')).toBeVisible()
  expect(second).toHaveTextContent('text of a1')
  expect(second).toHaveTextContent('owl-1 · Wood')
  expect(within(old!).getByText('2025-01-02')).toBeVisible()
  expect(timeless!.querySelector('time')).toBeNull()
  expect(screen.queryByText('text of sibling')).toBeNull()
  await screen.findByRole('combobox')
})

test('shows a placeholder while a chat loads, and a retry button when it could not be loaded', async () => {
  expectConsole('error', /fetching the data\. 500/)
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json(owlAndFox))
    .on('GET /api/chats/c1', () => failure(500, 'internal', 'No.'))
  renderScreen(api, <ChatView chatId="c1" />, '/chat/c1')
  expect(screen.getByLabelText('Loading the chat')).toBeInTheDocument()
  expect(await screen.findByRole('alert')).toHaveTextContent('This chat could not be loaded')
  api.on('GET /api/chats/c1', () => json(shortChat))
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('text of u1', inMessages)).toBeVisible()
  await screen.findByRole('combobox')
})

test('shows the contents button, disabled, while the chat loads (§2.15)', async () => {
  vi.stubGlobal('matchMedia', () => new EventTarget())
  const header = render(<HeaderSlot />).container
  const api = new ScriptedApi().on('GET /api/bots', () => json(owlAndFox))
  let respond = (_chat: Response): void => undefined
  api.on('GET /api/chats/c1', () => new Promise<Response>((resolve) => (respond = resolve)))
  renderScreen(api, <ChatView chatId="c1" />, '/chat/c1')
  const button = () => within(header).getByRole('button', { name: 'Contents' })
  await waitFor(() => expect(api.seen('GET /api/chats/c1')).toHaveLength(1))
  expect(button()).toBeDisabled()
  respond(json(shortChat))
  await screen.findByText('text of u1', inMessages)
  expect(button()).toBeEnabled()
})

test('redirects from a chat that does not exist to the home page (§2.12, §8.10)', async () => {
  expectConsole('error', /fetching the data\. 404/)
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json(owlAndFox))
    .on('GET /api/chats/c1', () => failure(404, 'not_found', 'There is no such chat.'))
  const view = renderScreen(api, <ChatView chatId="c1" />, '/chat/c1')
  await waitFor(() => expect(view.path()).toBe('/'))
})

test('reads the chat once, and again when the connection returns, but not on focus or by polling (§7.28, §9.4)', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    const { api } = openChat(shortChat)
    await screen.findByText('text of u1', inMessages)
    await screen.findByRole('combobox')
    const reads = () => [api.seen('GET /api/chats/c1').length, api.seen('GET /api/bots').length]
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    window.dispatchEvent(new Event('focus'))
    document.dispatchEvent(new Event('visibilitychange'))
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    expect(reads()).toEqual([1, 1])
    window.dispatchEvent(new Event('offline'))
    window.dispatchEvent(new Event('online'))
    await act(() => vi.advanceTimersByTimeAsync(10))
    expect(reads()).toEqual([2, 2])
  } finally {
    vi.useRealTimers()
  }
})

test("shows 'Unknown error occurred' when a failed reply has no error (§8.7)", async () => {
  openChat({
    ...shortChat,
    messages: [message('u1', null), reply('a1', 'u1', { status: 'failed', content: '**Error:** x' })],
  })
  expect(await screen.findByText(/Unknown error occurred/)).toBeVisible()
  await screen.findByRole('combobox')
})

test('sends the message from the home page once, with its bot, and stores the bot as the choice of the chat (§4.16, §3.25, §3.24)', async () => {
  localStorage.setItem('newChat_c1_message', 'From home')
  localStorage.setItem('newChat_c1_bot', 'Fox')
  const api = new ScriptedApi()
  const server = acceptRuns(api)
  openChat(emptyChat, api)
  await waitFor(() => expect(server.count()).toBe(1))
  expect(api.seen('POST /api/chat/completions')[0]?.body).toEqual({
    id: 'c1_first',
    chatId: 'c1',
    botName: 'Fox',
    content: 'From home',
    parentId: null,
  })
  expect(localStorage.getItem('newChat_c1_message')).toBeNull()
  expect(localStorage.getItem('newChat_c1_bot')).toBeNull()
  expect(localStorage.getItem('chat_c1_selectedBot')).toBe('Fox')
  expect(await screen.findByRole('combobox')).toHaveValue('Fox')
  server.started()
  server.stream().text('Welcome.')
  server.stream().end()
  expect(await screen.findByText('Welcome.')).toBeVisible()
  expect(server.count()).toBe(1)
})

test('does not send a message from the home page when the chat is not empty (§4.16)', async () => {
  localStorage.setItem('newChat_c1_message', 'From home')
  localStorage.setItem('newChat_c1_bot', 'Fox')
  const { api } = openChat(shortChat)
  await screen.findByText('text of u1', inMessages)
  await screen.findByRole('combobox')
  expect(api.seen('POST /api/chat/completions')).toHaveLength(0)
})

test("copies a message, with the titles 'Copy message' and 'Copied!' for two seconds (§2.29, §9.3)", async () => {
  openChat(shortChat)
  await screen.findByText('text of a1')
  await screen.findByRole('combobox')
  userEvent.setup()
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  const button = within(articles()[0]!).getByTitle('Copy message')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await act(async () => void fireEvent.click(button))
  expect(write).toHaveBeenCalledExactlyOnceWith('text of u1')
  expect(button).toHaveAttribute('title', 'Copied!')
  act(() => void vi.advanceTimersByTime(1999))
  expect(button).toHaveAttribute('title', 'Copied!')
  act(() => void vi.advanceTimersByTime(1))
  expect(button).toHaveAttribute('title', 'Copy message')
  vi.useRealTimers()
})

test('only logs a copy that failed (§8.13)', async () => {
  expectConsole('error', /Copying failed/)
  openChat(shortChat)
  await screen.findByText('text of a1')
  await screen.findByRole('combobox')
  const user = userEvent.setup()
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))
  await user.click(screen.getAllByTitle('Copy message')[0]!)
  expect(screen.queryByTitle('Copied!')).toBeNull()
  expect(toasts.get()).toEqual([])
})

test('shows the reasoning collapsed above the reply', async () => {
  openChat({
    ...shortChat,
    messages: [message('u1', null), reply('a1', 'u1', { reasoning: 'First I think.' })],
  })
  const summary = await screen.findByText('Reasoning')
  expect(screen.queryByText('First I think.')).toBeNull()
  await userEvent.click(summary)
  expect(await screen.findByText('First I think.')).toBeVisible()
  await screen.findByRole('combobox')
})

test('shows content that has several parts as one text (§3.7)', async () => {
  openChat({
    ...shortChat,
    messages: [
      message('u1', null, {
        content: [
          { type: 'text', text: 'part one, ' },
          { type: 'text', text: 'part two' },
        ],
      }),
    ],
    selected_message_id: 'u1',
  })
  expect(await screen.findByText('part one, part two', inMessages)).toBeVisible()
  await screen.findByRole('combobox')
})

test('counts the result of a tool, and what is being typed, in the use of the context window', async () => {
  const chat = makeChat([
    message('u1', null),
    reply('a1', 'u1', {
      server: 'Zoo',
      tool: 'search',
      arguments: '{}',
      call: { state: 'answered' },
      usage: { input_tokens: 900, output_tokens: 100 },
    }),
    message('t1', 'a1', { server: 'Zoo', content: 'x'.repeat(4_000) }),
  ])
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json([makeBot({ context_window: 8_000 })]))
    .on('GET /api/chats/c1', () => json(chat))
  renderScreen(api, <ChatView chatId="c1" />, '/chat/c1')
  expect(
    await screen.findByRole('button', { name: 'Context used: 25 % (about 2,000 of 8,000 tokens)' }),
  ).toBeVisible()
  const box = screen.getByRole('textbox', { name: 'Message' })
  fireEvent.change(box, { target: { value: 'x'.repeat(8_000) } })
  expect(
    screen.getByRole('button', { name: 'Context used: 50 % (about 4,000 of 8,000 tokens)' }),
  ).toBeVisible()
  fireEvent.change(box, { target: { value: '' } })
  expect(screen.getByRole('button', { name: /^Context used: 25 %/ })).toBeVisible()
})

test('says which bot replies when the bot of the last reply no longer exists, until one is chosen (§4.4)', async () => {
  openChat({ ...shortChat, messages: [message('u1', null), reply('a1', 'u1', { bot: 'Heron' })] })
  const select = await screen.findByRole('combobox')
  expect(select).toHaveValue('Owl')
  const hint = 'The bot of the last reply, Heron, no longer exists. Owl replies now.'
  expect(screen.getByText(hint)).toBeVisible()
  await userEvent.selectOptions(select, 'Fox')
  expect(screen.queryByText(/no longer exists/)).toBeNull()
})
