import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { EventStream, failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { ChatView } from './chat-view.tsx'

const bots = [
  { name: 'Owl', model: 'owl-1' },
  { name: 'Fox', model: 'fox-2' },
]
const today = new Date().setHours(9, 5, 0, 0)

function message(id: string, parent: string | null, more: Partial<Message> = {}): Message {
  const role = more.role ?? 'user'
  return {
    id,
    parent_id: parent,
    role,
    content: `text of ${id}`,
    timestamp: new Date(today).toISOString(),
    unix_timestamp: today,
    status: 'complete',
    ...more,
  }
}
const reply = (id: string, parent: string, more: Partial<Message> = {}) =>
  message(id, parent, { role: 'assistant', model: 'owl-1', provider: 'Wood', bot: 'Owl', ...more })

const emptyChat: Chat = {
  id: 'c1',
  messages: [],
  update_time: '2026-11-20T10:00:00.000Z',
  selected_message_id: null,
  run: null,
}
const shortChat: Chat = {
  ...emptyChat,
  messages: [message('u1', null), reply('a1', 'u1')],
  selected_message_id: 'a1',
}

function openChat(chat: Chat, api = new ScriptedApi()) {
  api.on('GET /api/bots', () => json(bots)).on('GET /api/chats/c1', () => json(chat))
  return { api, view: renderScreen(api, <ChatView chatId="c1" />, '/chat/c1') }
}

/** A server that answers a sent message with a stream; `started` tells it the ids that the client made. */
function answerWithStream(api: ScriptedApi) {
  const streams: EventStream[] = []
  api.on('POST /api/chat/completions', () => {
    const stream = new EventStream()
    streams.push(stream)
    return stream.response
  })
  const started = (replyId = 'a9') => {
    const sent = api.seen('POST /api/chat/completions').at(-1)!.body as {
      id: string
      content: string
      parentId: string | null
    }
    streams.at(-1)?.send({
      type: 'started',
      user_message: message(sent.id, sent.parentId, { content: sent.content }),
      assistant_message: reply(replyId, sent.id, { content: '', status: 'streaming' }),
    })
  }
  return { started, stream: () => streams.at(-1)!, count: () => streams.length }
}

/** The list of contents shows the same texts. */
const inMessages = { ignore: 'nav *' }
const input = () => screen.getByPlaceholderText('Type your message...')
const articles = () => screen.queryAllByRole('article')
const lastArticle = () => articles().at(-1)!
const send = async (text: string) => {
  await screen.findByRole('combobox')
  await userEvent.type(input(), `${text}{Enter}`)
}

beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined)
})

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

test('shows the shape of a chat while it loads, and the way on when it cannot be loaded', async () => {
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json(bots))
    .on('GET /api/chats/c1', () => failure(500, 'internal', 'No.'))
  renderScreen(api, <ChatView chatId="c1" />, '/chat/c1')
  expect(screen.getByLabelText('Loading the chat')).toBeInTheDocument()
  expect(await screen.findByRole('alert')).toHaveTextContent('This chat could not be loaded')
  api.on('GET /api/chats/c1', () => json(shortChat))
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('text of u1', inMessages)).toBeVisible()
  await screen.findByRole('combobox')
})

test('leads home from a chat that is not there (§2.12, §8.10)', async () => {
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json(bots))
    .on('GET /api/chats/c1', () => failure(404, 'not_found', 'There is no such chat.'))
  const view = renderScreen(api, <ChatView chatId="c1" />, '/chat/c1')
  await waitFor(() => expect(view.path()).toBe('/'))
})

test('reads the chat once, and not again on focus (§7.28, §9.4)', async () => {
  const { api } = openChat(shortChat)
  await screen.findByText('text of u1', inMessages)
  await screen.findByRole('combobox')
  act(() => {
    window.dispatchEvent(new Event('focus'))
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(api.seen('GET /api/chats/c1')).toHaveLength(1)
  expect(api.seen('GET /api/bots')).toHaveLength(1)
})

test('adds the message and an empty reply at once, then streams the reply into it (§4.14, §4.13, §2.32, §7.11, §7.34, §7.35)', async () => {
  const { api } = openChat(shortChat)
  const server = answerWithStream(api)
  await send('How are you?')
  expect(articles()).toHaveLength(4)
  expect(articles()[2]).toHaveTextContent('How are you?')
  const dots = within(lastArticle()).getByText('The reply is being written').parentElement!
  expect(dots.querySelectorAll('.animate-pulse')).toHaveLength(3)
  expect(input()).toHaveValue('')
  expect(api.seen('POST /api/chat/completions')[0]?.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    chatId: 'c1',
    botName: 'Owl',
    content: 'How are you?',
    parentId: 'a1',
  })
  server.started()
  server.stream().text('Very ')
  expect(await screen.findByText('Very')).toBeVisible()
  expect(within(lastArticle()).queryByText('The reply is being written')).toBeNull()
  server.stream().send({ type: 'model', model: 'owl-2', provider: 'Wood' })
  server.stream().text('well.')
  server.stream().end()
  expect(await screen.findByText('Very well.')).toBeVisible()
  await screen.findByRole('button', { name: 'Send message' })
  expect(lastArticle()).toHaveTextContent('owl-2 · Wood')
  expect(articles()).toHaveLength(4)
  // The cache holds the reply now: nothing is read again.
  expect(api.seen('GET /api/chats/c1')).toHaveLength(1)
})

test('hangs the next message under the reply that was streamed before it', async () => {
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
  await send('One')
  expect(api.seen('POST /api/chat/completions')[0]?.body).toMatchObject({ parentId: null })
  server.started('a1')
  server.stream().text('First.')
  server.stream().end()
  await screen.findByText('First.')
  await screen.findByRole('button', { name: 'Send message' })
  await send('Two')
  expect(api.seen('POST /api/chat/completions')[1]?.body).toMatchObject({ parentId: 'a1', content: 'Two' })
  server.started('a2')
  server.stream().end()
  await screen.findByRole('button', { name: 'Send message' })
})

test('announces a reply when it is finished, and not before', async () => {
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
  await send('Hello')
  server.started()
  server.stream().text('Good day.')
  await screen.findByText('Good day.')
  expect(screen.queryByText(/Reply finished/)).toBeNull()
  server.stream().end()
  expect(await screen.findByText('Reply finished. Good day.')).toBeInTheDocument()
})

test('turns the reply into the error that the stream carries (§8.7, §7.32)', async () => {
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
  await send('Hello')
  server.started()
  server.stream().text('It begins')
  server
    .stream()
    .send({ type: 'error', error: { code: 'upstream_error', message: 'The model <b>broke</b>.' } })
  server.stream().end('failed')
  await screen.findByRole('button', { name: 'Send message' })
  const outcome = within(lastArticle()).getByText(/The model/)
  expect(outcome).toHaveTextContent('Error: The model <b>broke</b>.')
  expect(within(outcome).getByText('Error:').tagName).toBe('STRONG')
  // What had come is not lost.
  expect(lastArticle()).toHaveTextContent('It begins')
})

test("says 'Unknown error occurred' when a failed reply has no error (§8.7)", async () => {
  openChat({
    ...shortChat,
    messages: [message('u1', null), reply('a1', 'u1', { status: 'failed', content: '**Error:** x' })],
  })
  expect(await screen.findByText(/Unknown error occurred/)).toBeVisible()
  await screen.findByRole('combobox')
})

test('stops: tells the server, leaves the stream, reads the chat again (§4.15)', async () => {
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
  await send('Hello')
  server.started()
  server.stream().text('Half')
  await screen.findByText('Half')
  const sent = api.seen('POST /api/chat/completions')[0]!.body as { id: string }
  api
    .on('POST /api/chat/stop', () => json({ stopped: true }))
    .on('GET /api/chats/c1', () =>
      json({
        ...emptyChat,
        messages: [
          message(sent.id, null, { content: 'Hello' }),
          reply('a9', sent.id, { content: 'Half a', status: 'stopped' }),
        ],
        selected_message_id: 'a9',
      }),
    )
  await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
  expect(await screen.findByText('Stopped.')).toBeVisible()
  expect(screen.getByText('Half a')).toBeVisible()
  expect(api.seen('POST /api/chat/stop')[0]?.body).toEqual({ chatId: 'c1' })
  expect(server.stream().closed).toBe(true)
  expect(api.seen('GET /api/chats/c1')).toHaveLength(2)
})

test('stops a message that is not confirmed yet as soon as it is', async () => {
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
  api.on('POST /api/chat/stop', () => json({ stopped: true }))
  await send('Hello')
  await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
  expect(api.seen('POST /api/chat/stop')).toHaveLength(0)
  server.started()
  await waitFor(() => expect(api.seen('POST /api/chat/stop')).toHaveLength(1))
})

test('says so when a reply could not be stopped, and goes on', async () => {
  expectConsole('error', /Error stopping reply/)
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
  api.on('POST /api/chat/stop', () => failure(503, 'unavailable', 'Try later.'))
  await send('Hello')
  server.started()
  await userEvent.click(await screen.findByRole('button', { name: 'Stop' }))
  expect(await screen.findByText('The reply could not be stopped: Try later.')).toBeVisible()
  server.stream().text('Still here.')
  expect(await screen.findByText('Still here.')).toBeVisible()
})

test('only logs a message that was refused, but says that it was not sent and sends it again once (§8.8)', async () => {
  expectConsole('error', /^Error sending message: Service Unavailable$/)
  const { api } = openChat(shortChat)
  api.on('POST /api/chat/completions', () =>
    failure(503, 'unavailable', 'Going down.', 'Service Unavailable'),
  )
  await send('Keep me')
  expect(await screen.findByText('Not sent. Going down.')).toBeVisible()
  expect(articles()).toHaveLength(2)
  const first = api.seen('POST /api/chat/completions')[0]?.body
  const server = answerWithStream(api)
  await userEvent.click(screen.getByRole('button', { name: 'Send again' }))
  expect(api.seen('POST /api/chat/completions')[1]?.body).toEqual(first)
  expect(screen.queryByText(/Not sent/)).toBeNull()
  server.started()
  server.stream().end()
  await screen.findByRole('button', { name: 'Send message' })
  expect(localStorage.getItem('chat_c1_outbox')).toBeNull()
})

test('keeps a message that was not sent over a reload', async () => {
  expectConsole('error', /Error sending message/)
  const { api, view } = openChat(shortChat)
  api.on('POST /api/chat/completions', () => {
    throw new TypeError('Failed to fetch')
  })
  await send('Keep me')
  expect(await screen.findByText('Not sent. The server could not be reached.')).toBeVisible()
  view.unmount()
  openChat(shortChat)
  expect(await screen.findByText('Keep me')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Edit' }))
  expect(input()).toHaveValue('Keep me')
  expect(screen.queryByText(/Not sent/)).toBeNull()
  await screen.findByRole('combobox')
})

test('drops the note when the chat shows that the message arrived after all', async () => {
  expectConsole('error', /Error sending message/)
  const { api } = openChat(shortChat)
  api.on('POST /api/chat/completions', (request) => {
    const { id } = request.body as { id: string }
    api.on('GET /api/chats/c1', () =>
      json({
        ...shortChat,
        messages: [...shortChat.messages, message(id, 'a1', { content: 'Arrived' }), reply('a2', id)],
        selected_message_id: 'a2',
      }),
    )
    throw new TypeError('Failed to fetch')
  })
  await send('Arrived')
  expect(await screen.findByText('text of a2')).toBeVisible()
  await waitFor(() => expect(screen.queryByText(/Not sent/)).toBeNull())
  expect(screen.getAllByText('Arrived', inMessages)).toHaveLength(1)
})

test('keeps the text in the input when another reply is being written (409)', async () => {
  expectConsole('error', /Error sending message: Conflict/)
  const { api } = openChat(shortChat)
  api.on('POST /api/chat/completions', () => failure(409, 'run_active', 'Still answering.', 'Conflict'))
  await send('Second thought')
  expect(await screen.findByText(/Another reply is being written in this chat/)).toBeVisible()
  expect(input()).toHaveValue('Second thought')
  expect(articles()).toHaveLength(2)
  expect(screen.queryByText(/Not sent/)).toBeNull()
})

test('reports a missing access token as the reason (§6.3, §8.1)', async () => {
  expectConsole('error', /Error sending message: Failed to get access token/)
  const { api } = openChat(shortChat)
  await screen.findByRole('combobox')
  vi.spyOn(api.client, 'request').mockRejectedValueOnce(new Error('Failed to get access token'))
  await send('Hello')
  expect(await screen.findByText('Not sent. Failed to get access token')).toBeVisible()
})

test('joins the run that is being written when a chat is opened, from the event it knows (§4.13)', async () => {
  const api = new ScriptedApi()
  const stream = new EventStream(7)
  api.on('GET /api/chat/c1/stream', () => stream.response)
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
  stream.text(', three')
  stream.end()
  expect(await screen.findByText('One, two, three')).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Send message' })).toBeVisible()
})

test('joins again without a gap or a repeat when the connection breaks', async () => {
  expectConsole('error', /The stream broke and is joined again/)
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
  await send('Count')
  server.started()
  server.stream().text('one ')
  await screen.findByText('one')
  const second = new EventStream(1)
  api.on('GET /api/chat/c1/stream', () => second.response)
  server.stream().cut()
  await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
  expect(api.seen('GET /api/chat/c1/stream')[0]?.headers.get('last-event-id')).toBe('2')
  // The server may tell again what is known already.
  second.text('one ')
  second.text('two')
  second.end()
  expect(await screen.findByText('one two')).toBeVisible()
  await screen.findByRole('button', { name: 'Send message' })
})

test('joins again when an event is missing', async () => {
  expectConsole('error', /The stream broke and is joined again/)
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
  await send('Count')
  server.started()
  const second = new EventStream(1)
  api.on('GET /api/chat/c1/stream', () => second.response)
  server.stream().write(JSON.stringify({ type: 'text', seq: 5, choices: [{ delta: { content: 'late' } }] }))
  await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
  second.text('all of it')
  second.end()
  expect(await screen.findByText('all of it')).toBeVisible()
  expect(screen.queryByText(/late/)).toBeNull()
})

test('reads the chat when nobody knows the run any more', async () => {
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
  await send('Hello')
  server.started()
  server.stream().text('Half')
  await screen.findByText('Half')
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
  expect(screen.getByRole('button', { name: 'Send message' })).toBeVisible()
})

test('sends the message that was handed over, with its bot, once, and remembers the bot (§4.16, §3.25, §3.24)', async () => {
  localStorage.setItem('newChat_c1_message', 'From home')
  localStorage.setItem('newChat_c1_bot', 'Fox')
  const api = new ScriptedApi()
  const server = answerWithStream(api)
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

test('leaves a hand-over alone when the chat is not empty (§4.16)', async () => {
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
  const user = userEvent.setup()
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  const button = within(articles()[1]!).getByTitle('Copy message')
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
  await user.click(button)
  expect(write).toHaveBeenCalledExactlyOnceWith('text of a1')
  expect(await screen.findByTitle('Copied!')).toBe(button)
  act(() => void vi.advanceTimersByTime(1500))
  expect(button).toHaveAttribute('title', 'Copied!')
  act(() => void vi.advanceTimersByTime(600))
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
  expect(screen.queryByRole('alert')).toBeNull()
})

test('shows reasoning folded above the answer', async () => {
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

test('takes content in parts as text (§3.7)', async () => {
  openChat({
    ...shortChat,
    messages: [message('u1', null, { content: [{ text: 'part one, ' }, { text: 'part two' }] })],
    selected_message_id: 'u1',
  })
  expect(await screen.findByText('part one, part two', inMessages)).toBeVisible()
  await screen.findByRole('combobox')
})

test('joins again when the stream falls silent, without a heartbeat for 40 s', async () => {
  const { api } = openChat(emptyChat)
  const server = answerWithStream(api)
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
    const second = new EventStream(2)
    api.on('GET /api/chat/c1/stream', () => second.response)
    expectConsole('error', /The stream broke/)
    await act(() => vi.advanceTimersByTimeAsync(15_000))
    await waitFor(() => expect(api.seen('GET /api/chat/c1/stream')).toHaveLength(1))
    second.text('two')
    second.end()
    expect(await screen.findByText('one two')).toBeVisible()
  } finally {
    vi.useRealTimers()
  }
})
