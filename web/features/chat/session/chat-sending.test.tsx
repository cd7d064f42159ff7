import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import {
  acceptRuns,
  articles,
  beginReply,
  emptyChat,
  inMessages,
  input,
  lastArticle,
  message,
  openChat,
  reply,
  send,
  shortChat,
} from '../../../testing/chat-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { failure, json, ScriptedApi, settle } from '../../../testing/scripted-api.ts'
import { formatContent, personalStorage } from '../chat-storage.ts'
import { ChatView } from '../chat-view.tsx'

test('adds the message and an empty reply at once, then streams the reply into it (§4.13, §4.14, §2.32, §7.11, §7.34, §7.35)', async () => {
  const { api } = openChat(shortChat)
  const server = acceptRuns(api)
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
  // The session has the whole reply: nothing is read again.
  expect(api.seen('GET /api/chats/c1')).toHaveLength(1)
})

test('repeats a message that a restarting server refused, until a server accepts it', async () => {
  const { api } = openChat(shortChat)
  const route = 'POST /api/chat/completions'
  api.on(route, () => failure(503, 'restarting', 'Yonder is restarting. Try again in a moment.'))
  await send('How are you?')
  await waitFor(() => expect(api.seen(route).length).toBeGreaterThan(1))
  expect(screen.queryByText(/restarting/)).toBeNull()
  const server = acceptRuns(api)
  await waitFor(() => expect(() => server.started()).not.toThrow())
  server.stream().text('Well.')
  server.stream().end()
  expect(await screen.findByText('Well.')).toBeVisible()
  const ids = api.seen(route).map(({ body }) => (body as { id: string }).id)
  expect(new Set(ids).size).toBe(1)
})

test.each(['Asia/Tokyo', 'Europe/Berlin'])('sends the time zone %s of the browser', async (timeZone) => {
  const { resolvedOptions } = Intl.DateTimeFormat.prototype
  const zone = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockImplementation(function (
    this: Intl.DateTimeFormat,
  ) {
    return { ...resolvedOptions.call(this), timeZone }
  })
  const { api } = openChat(shortChat)
  acceptRuns(api)
  await send('What day is it?')
  expect(api.seen('POST /api/chat/completions')[0]?.body).toMatchObject({ time_zone: timeZone })
  zone.mockRestore()
})

test('sends the next message as a child of the reply that was streamed before it', async () => {
  const { api } = openChat(emptyChat)
  const server = acceptRuns(api)
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

test('announces a reply only when it is finished', async () => {
  const { server } = await beginReply('Hello', 'Good day.')
  expect(screen.queryByText(/Reply finished/)).toBeNull()
  server.stream().end()
  expect(await screen.findByText('Reply finished. Good day.')).toBeInTheDocument()
})

test.each([
  ['failed', 'The reply failed. Too busy.'],
  ['stopped', 'Reply stopped. It begins'],
  ['interrupted', 'Reply interrupted. It begins'],
] as const)('does not announce a %s reply as finished', async (status, announcement) => {
  const { server } = await beginReply('Hello', 'It begins')
  if (status === 'failed')
    server.stream().send({ type: 'error', error: { code: 'upstream_error', message: 'Too busy.' } })
  server.stream().end(status)
  expect(await screen.findByText(announcement)).toBeInTheDocument()
  expect(screen.queryByText(/Reply finished/)).toBeNull()
})

test('shows an error of the stream in the reply, after the text so far (§8.7, §7.32)', async () => {
  const { server } = await beginReply('Hello', 'It begins')
  server
    .stream()
    .send({ type: 'error', error: { code: 'upstream_error', message: 'The model <b>broke</b>.' } })
  server.stream().end('failed')
  await screen.findByRole('button', { name: 'Send message' })
  const outcome = within(lastArticle()).getByText(/The model/)
  expect(outcome).toHaveTextContent('Error: The model <b>broke</b>.')
  expect(within(outcome).getByText('Error:').tagName).toBe('STRONG')
  // The text before the error is not lost.
  expect(lastArticle()).toHaveTextContent('It begins')
})

test('stops the run on the server, loads the chat again and announces the end (§4.15)', async () => {
  const { api } = await beginReply('Hello', 'Half')
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
  expect(screen.getByText('Reply stopped. Half a')).toBeInTheDocument()
  expect(api.seen('POST /api/chat/stop')[0]?.body).toEqual({ chatId: 'c1' })
  expect(api.seen('GET /api/chats/c1')).toHaveLength(2)
})

test('stops an unconfirmed message as soon as it is confirmed', async () => {
  const { api } = openChat(emptyChat)
  const server = acceptRuns(api)
  api.on('POST /api/chat/stop', () => json({ stopped: true }))
  await send('Hello')
  await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
  expect(api.seen('POST /api/chat/stop')).toHaveLength(0)
  server.started()
  await waitFor(() => expect(api.seen('POST /api/chat/stop')).toHaveLength(1))
})

test('shows why a reply could not be stopped, and continues it', async () => {
  expectConsole('error', /Error stopping reply/)
  const { api, server } = await beginReply('Hello')
  api.on('POST /api/chat/stop', () => failure(503, 'unavailable', 'Try later.'))
  await userEvent.click(await screen.findByRole('button', { name: 'Stop' }))
  expect(await screen.findByText('The reply could not be stopped: Try later.')).toBeVisible()
  server.stream().text('Still here.')
  expect(await screen.findByText('Still here.')).toBeVisible()
})

test('shows a refused message as not sent, and sends it again with the same id (§8.8)', async () => {
  expectConsole('error', /^Error sending message: Service Unavailable$/)
  const { api } = openChat(shortChat)
  api.on('POST /api/chat/completions', () =>
    failure(503, 'unavailable', 'Going down.', 'Service Unavailable'),
  )
  await send('Keep me')
  expect(await screen.findByText('Not sent. Going down.')).toBeVisible()
  expect(articles()).toHaveLength(2)
  const first = api.seen('POST /api/chat/completions')[0]?.body
  const server = acceptRuns(api)
  await userEvent.click(screen.getByRole('button', { name: 'Send again' }))
  expect(api.seen('POST /api/chat/completions')[1]?.body).toEqual(first)
  expect(screen.queryByText(/Not sent/)).toBeNull()
  expect(input()).toHaveFocus()
  server.started()
  server.stream().end()
  await screen.findByRole('button', { name: 'Send message' })
  expect(localStorage.getItem('chat_c1_outbox')).toBeNull()
})

test('keeps a message that was not sent across a reload', async () => {
  expectConsole('error', /Error sending message/)
  const { api, view } = openChat(shortChat)
  api.on('POST /api/chat/completions', () => {
    throw new TypeError('Failed to fetch')
  })
  await send('Keep me')
  expect(await screen.findByText('Not sent. The server could not be reached.')).toBeVisible()
  view.unmount()
  openChat(shortChat)
  // The text is drawn again once markdown is loaded.
  await waitFor(() => expect(screen.getByText('Keep me')).toBeVisible())
  await userEvent.click(screen.getByRole('button', { name: 'Edit' }))
  expect(input()).toHaveValue('Keep me')
  expect(input()).toHaveFocus()
  expect(screen.queryByText(/Not sent/)).toBeNull()
  await screen.findByRole('combobox')
})

test('sends a message again once when the server responds, with the same id, and then waits for the user', async () => {
  expectConsole('error', /Error sending message/)
  const { api } = openChat(
    shortChat,
    new ScriptedApi().on('GET /healthz', () => json({})),
  )
  api.on('POST /api/chat/completions', () => {
    throw new TypeError('Failed to fetch')
  })
  const sent = () => api.seen('POST /api/chat/completions').map(({ body }) => body)
  await send('Blocked')
  await waitFor(() => expect(sent()).toHaveLength(2))
  await settle()
  expect(sent()).toHaveLength(2)
  expect(sent()[1]).toEqual(sent()[0])
  expect(await screen.findByText('Not sent. The server could not be reached.')).toBeVisible()
})

test('sends a message once more after an outage that passed while the chat was closed', async () => {
  expectConsole('error', /Error sending message/)
  const { api, view } = openChat(
    shortChat,
    new ScriptedApi().on('GET /healthz', () => json({})),
  )
  api.on('POST /api/chat/completions', () => {
    throw new TypeError('Failed to fetch')
  })
  const sent = () => api.seen('POST /api/chat/completions').map(({ body }) => body)
  await send('Blocked')
  await waitFor(() => expect(sent()).toHaveLength(2))
  await settle()
  view.redraw(null)
  // The other pages watch the connection too.
  const stopWatching = api.client.connection.subscribe(() => undefined)
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  dispatchEvent(new Event('offline'))
  isOnline.mockRestore()
  dispatchEvent(new Event('online'))
  await waitFor(() => expect(api.client.connection.get()).toBe('online'))
  expect(sent()).toHaveLength(2)
  view.redraw(<ChatView chatId="c1" />)
  await waitFor(() => expect(sent()).toHaveLength(3))
  await settle()
  expect(sent()).toHaveLength(3)
  expect(sent()[2]).toEqual(sent()[0])
  expect(await screen.findByText('Not sent. The server could not be reached.')).toBeVisible()
  stopWatching()
})

test('does not send a refused message again without a click', async () => {
  expectConsole('error', /Error sending message/)
  const { api } = openChat(
    shortChat,
    new ScriptedApi().on('GET /healthz', () => json({})),
  )
  api.on('POST /api/chat/completions', () => failure(503, 'unavailable', 'Going down.'))
  await send('Keep me')
  expect(await screen.findByText('Not sent. Going down.')).toBeVisible()
  await settle()
  expect(api.seen('POST /api/chat/completions')).toHaveLength(1)
})

test('removes the unsent message when the loaded chat contains the message', async () => {
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

test('puts a changed message into the input when another reply is being written (409)', async () => {
  expectConsole('error', /Error sending message: Conflict/)
  const { api } = openChat(shortChat)
  api.on('POST /api/chat/completions', () => failure(409, 'run_active', 'Still answering.', 'Conflict'))
  await screen.findByRole('combobox')
  await userEvent.click(screen.getByRole('button', { name: 'Edit message' }))
  const editor = screen.getByRole('form', { name: 'Edit message' })
  await userEvent.clear(within(editor).getByRole('textbox'))
  await userEvent.type(within(editor).getByRole('textbox'), 'Second thought{Enter}')
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

const file = { id: 'f1', name: 'cat.pdf', type: 'application/pdf', size: 2_500 }
const filePart = { type: 'file', file } as const

test('sends a file of the draft, shows it, and moves it back into the input when it was not sent', async () => {
  expectConsole('error', /Error sending message/)
  localStorage.setItem('chat_c1_draft', formatContent([filePart]))
  const { api } = openChat(shortChat)
  api.on('POST /api/chat/completions', () => {
    throw new TypeError('Failed to fetch')
  })
  api.on('POST /api/files/plan', () => json({ files: [{ id: 'f1', as: 'text', tokens: 700 }] }))
  const draft = () => screen.queryByRole('list', { name: 'Attached files' })
  await screen.findByRole('combobox')
  expect(await screen.findByRole('button', { name: 'cat.pdf As text' })).toBeVisible()
  await send('Look')
  const content = [{ type: 'text', text: 'Look' }, filePart]
  expect(api.seen('POST /api/chat/completions')[0]?.body).toMatchObject({ content })
  expect(await screen.findByText(/Not sent/)).toBeVisible()
  expect(draft()).toBeNull()
  expect(screen.getByText('cat.pdf')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Edit' }))
  expect(draft()).toBeVisible()
  expect(input()).toHaveValue('Look')
  const server = acceptRuns(api)
  await userEvent.type(input(), '{Enter}')
  server.started()
  expect(within(articles()[2]!).getByRole('list', { name: 'Files' })).toHaveTextContent('cat.pdf2.5 kB')
  server.stream().end()
  await screen.findByRole('button', { name: 'Send message' })
})

test('takes a first message that is only a file from the home page', async () => {
  localStorage.setItem('newChat_c1_message', formatContent([filePart]))
  localStorage.setItem('newChat_c1_bot', 'Owl')
  const { api } = openChat(emptyChat)
  const server = acceptRuns(api)
  expect(await screen.findByText('cat.pdf', inMessages)).toBeVisible()
  expect(api.seen('POST /api/chat/completions')[0]?.body).toMatchObject({ content: [filePart] })
  server.started()
  server.stream().end()
  await screen.findByRole('button', { name: 'Send message' })
})

test('puts a first message into the input of a chat that another tab has begun, unless that tab has sent it', async () => {
  for (const [content, draft] of [
    ['Not there yet', 'Not there yet'],
    ['text of u1', ''],
  ] as const) {
    localStorage.setItem('newChat_c1_message', content)
    localStorage.setItem('newChat_c1_bot', 'Owl')
    const { api, view } = openChat(shortChat)
    await screen.findByRole('combobox')
    expect(input()).toHaveValue(draft)
    expect(api.seen('POST /api/chat/completions')).toEqual([])
    expect(localStorage.getItem('newChat_c1_message')).toBeNull()
    view.unmount()
    localStorage.clear()
  }
})

test('stores nothing of a message that fails after the user has signed out', async () => {
  expectConsole('error', /Error sending message/)
  const { api } = openChat(shortChat)
  let fail: (error: Error) => void = () => undefined
  api.on('POST /api/chat/completions', () => new Promise((_resolve, reject) => (fail = reject)))
  await send('A secret')
  personalStorage.clearTexts()
  fail(new TypeError('Failed to fetch'))
  await screen.findByText(/Not sent/)
  expect(Object.values(localStorage).join()).not.toContain('secret')
})
