import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { LiveEvent } from '@yonder/contract/live'
import type { Queue, QueueChange, QueuedMessage, QueueRequest } from '@yonder/contract/queue'
import { beforeEach, expect, test, vi } from 'vitest'
import { toasts } from '../../../lib/toasts.ts'
import {
  acceptRuns,
  articles,
  inMessages,
  input,
  message,
  openChat,
  reply,
  send,
  shortChat,
} from '../../../testing/chat-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { failure, json, ScriptedApi, settle } from '../../../testing/scripted-api.ts'
import { changeDraftFiles, storageKeys } from '../chat-storage.ts'

beforeEach(() => {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('40rem'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }))
  Element.prototype.scrollIntoView = () => undefined
})

const waiting = (id: string, text: string, more: Partial<QueuedMessage> = {}): QueuedMessage => ({
  id,
  content: text,
  bot: 'Owl',
  steers: false,
  created_at: '2026-11-29T14:10:00.000Z',
  ...more,
})

/** Answers for the queue of the chat as the server does. */
function serveQueue(api: ScriptedApi, messages: readonly QueuedMessage[] = [], more: Partial<Queue> = {}) {
  let queue: Queue = { messages: [...messages], paused: null, ...more }
  const change = (next: Partial<Queue>) => {
    queue = { ...queue, ...next }
    return json(queue)
  }
  const without = (id: string) => queue.messages.filter((other) => other.id !== id)
  const serve = (id: string) =>
    api
      .on(`PATCH /api/chat/queue/${id}`, ({ body }) => {
        const { before, content, steers } = body as QueueChange
        const found = queue.messages.find((other) => other.id === id)!
        const changed = {
          ...found,
          ...(content === undefined ? {} : { content: content as QueuedMessage['content'] }),
          ...(steers === undefined ? {} : { steers }),
        }
        if (before === undefined)
          return change({ messages: queue.messages.map((other) => (other.id === id ? changed : other)) })
        const index = before === null ? -1 : without(id).findIndex((other) => other.id === before)
        return change({ messages: without(id).toSpliced(index === -1 ? Infinity : index, 0, changed) })
      })
      .on(`DELETE /api/chat/queue/${id}`, () => change({ messages: without(id) }))
      .on(`POST /api/chat/queue/${id}/send`, () => change({ messages: without(id) }))
  for (const { id } of messages) serve(id)
  api
    .on('GET /api/chat/queue', () => json(queue))
    .on('POST /api/chat/queue', ({ body }) => {
      const { id, content, botName } = body as QueueRequest
      serve(id)
      if (queue.messages.some((other) => other.id === id)) return json(queue)
      const added = waiting(id, '', { content: content as QueuedMessage['content'], bot: botName })
      return change({ messages: [...queue.messages, added] })
    })
    .on('POST /api/chat/queue/continue', () => change({ paused: null }))
  return { change, texts: () => queue.messages.map(({ content }) => content), read: () => queue }
}

const list = () => screen.getByRole('list', { name: 'Queued messages' })
const rows = () => within(list()).getAllByRole('listitem')
const rowTexts = () => rows().map((row) => row.querySelector('[dir=auto]')?.textContent)
const queueButton = () => screen.queryByRole('button', { name: 'Queue' })

/** Opens a chat in which a reply is written, with messages that wait. */
async function openRunning(messages: readonly QueuedMessage[] = []) {
  const api = new ScriptedApi()
  const queue = serveQueue(api, messages)
  openChat({ ...shortChat, ...(messages.length > 0 && { queued: true }) }, api)
  const server = acceptRuns(api)
  await send('First question')
  server.started()
  server.stream().text('It is')
  await screen.findByText('It is')
  if (messages.length > 0) await waitFor(() => expect(rows()).toHaveLength(messages.length))
  return { api, queue, server }
}

/** Opens an idle chat whose queue is paused. */
async function openPaused(messages: readonly QueuedMessage[], more: Partial<Queue>) {
  const api = new ScriptedApi()
  const queue = serveQueue(api, messages, more)
  openChat({ ...shortChat, queued: true }, api)
  await screen.findByText(/^Paused/)
  return { api, queue }
}

const emit = (api: ScriptedApi, event: LiveEvent) => act(() => api.client.live.emit(event))

test('queues a message with Enter while a reply is written, and clears the input', async () => {
  const { api, queue } = await openRunning()
  expect(queueButton()).toBeNull()
  await userEvent.type(input(), 'And the old ones?')
  // What waits in the queue when it is read first is not announced.
  await waitFor(() => expect(api.seen('GET /api/chat/queue')).toHaveLength(1))
  await settle()
  expect(queueButton()).toBeVisible()
  expect(screen.getByRole('button', { name: 'Stop' })).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(queue.texts()).toEqual(['And the old ones?']))
  expect(input()).toHaveValue('')
  expect(input()).toHaveFocus()
  expect(queueButton()).toBeNull()
  expect(rowTexts()).toEqual(['And the old ones?'])
  expect(screen.getByText('Queued, 1 waiting')).toBeInTheDocument()
  expect(api.seen('POST /api/chat/queue')[0]?.body).toEqual({
    chatId: 'c1',
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    botName: 'Owl',
    content: 'And the old ones?',
  })
  // Nothing was sent the usual way.
  expect(api.seen('POST /api/chat/completions')).toHaveLength(1)
  expect(localStorage.getItem(storageKeys.queue('c1'))).toBeNull()
})

test('does not read the queue of a chat in which no message waits', async () => {
  const api = new ScriptedApi()
  serveQueue(api)
  openChat(shortChat, api)
  await screen.findByText('text of u1', inMessages)
  await screen.findByRole('combobox')
  emit(api, { type: 'chat_changed', chatId: 'c1' })
  await waitFor(() => expect(api.seen('GET /api/chats/c1')).toHaveLength(2))
  await settle()
  expect(api.seen('GET /api/chat/queue')).toHaveLength(0)
})

test('shows a message at once and keeps it until the server has it', async () => {
  expectConsole('error', /Error queueing message/)
  const { api, queue } = await openRunning()
  let fail = (_reason: Error): void => undefined
  api.on('POST /api/chat/queue', () => new Promise<Response>((_, reject) => (fail = reject)))
  await userEvent.type(input(), 'Do not lose this{Enter}')
  await waitFor(() => expect(rowTexts()).toEqual(['Do not lose this']))
  expect(rows()[0]).toHaveAttribute('aria-busy', 'true')
  expect(localStorage.getItem(storageKeys.queue('c1'))).toContain('Do not lose this')
  fail(new TypeError('Failed to fetch'))
  expect(await screen.findByText('Not queued yet. The server could not be reached.')).toBeVisible()
  expect(localStorage.getItem(storageKeys.queue('c1'))).toContain('Do not lose this')
  serveQueue(api).change({})
  await waitFor(() => expect(localStorage.getItem(storageKeys.queue('c1'))).toBeNull())
  const ids = api.seen('POST /api/chat/queue').map(({ body }) => (body as QueueRequest).id)
  expect(new Set(ids).size).toBe(1)
  expect(rowTexts()).toEqual(['Do not lose this'])
  expect(queue.texts()).toEqual([])
})

test('puts a message that is refused back into the input, and says why', async () => {
  expectConsole('error', /Error queueing message/)
  const { api } = await openRunning()
  api.on('POST /api/chat/queue', () => failure(409, 'conflict', 'Ten messages wait already.'))
  await userEvent.type(input(), 'The eleventh{Enter}')
  expect(
    await screen.findByText(
      'Your message is in the input again, because it was not queued: Ten messages wait already.',
    ),
  ).toBeVisible()
  expect(input()).toHaveValue('The eleventh')
  expect(screen.queryByRole('list', { name: 'Queued messages' })).toBeNull()
  expect(localStorage.getItem(storageKeys.queue('c1'))).toBeNull()
})

test('takes a message back whose response was lost, also from the server', async () => {
  expectConsole('error', /Error queueing message/)
  const { api, queue } = await openRunning()
  const add = (body: unknown) => {
    const { id, content } = body as QueueRequest
    const added = waiting(id, '', { content: content as QueuedMessage['content'] })
    return queue.change({ messages: [added] })
  }
  api.on('POST /api/chat/queue', ({ body }) => {
    const { id } = body as QueueRequest
    api.on(`DELETE /api/chat/queue/${id}`, () => queue.change({ messages: [] }))
    add(body)
    throw new TypeError('Failed to fetch')
  })
  await userEvent.type(input(), 'Not like this{Enter}')
  await screen.findByText(/^Not queued yet/)
  // The next attempt is on its way when the user takes it back.
  let answer = (): void => undefined
  api.on(
    'POST /api/chat/queue',
    ({ body }) => new Promise<Response>((resolve) => (answer = () => resolve(add(body)))),
  )
  await waitFor(() => expect(api.seen('POST /api/chat/queue')).toHaveLength(2))
  await userEvent.click(screen.getByRole('button', { name: 'Take back' }))
  expect(input()).toHaveValue('Not like this')
  await waitFor(() => expect(queue.texts()).toEqual([]))
  answer()
  await waitFor(() => expect(api.requests.filter(({ route }) => route.startsWith('DELETE'))).toHaveLength(2))
  await settle()
  expect(queue.texts()).toEqual([])
  expect(screen.queryByRole('list', { name: 'Queued messages' })).toBeNull()
  expect(input()).toHaveValue('Not like this')
})

test('keeps a message in the outbox when the user is signed out', async () => {
  const { api } = await openRunning()
  api.on('POST /api/chat/queue', () => new Response(null, { status: 401 }))
  await userEvent.type(input(), 'Still mine{Enter}')
  await waitFor(() => expect(api.signedOut).toBe(true))
  expect(localStorage.getItem(storageKeys.queue('c1'))).toContain('Still mine')
})

test('sends what a closed page has left in the outbox, but not what another page is sending', async () => {
  const left = { id: 'left', content: 'Left behind', botName: 'Owl', queuedAt: Date.now() - 60_000 }
  const fresh = { id: 'fresh', content: 'Of another tab', botName: 'Owl', queuedAt: Date.now() }
  localStorage.setItem(storageKeys.queue('c1'), JSON.stringify([left, fresh]))
  const api = new ScriptedApi()
  const queue = serveQueue(api)
  openChat(shortChat, api)
  await waitFor(() => expect(queue.texts()).toEqual(['Left behind']))
  await settle()
  expect(api.seen('POST /api/chat/queue')).toHaveLength(1)
  expect(rowTexts()).toEqual(['Left behind', 'Of another tab'])
})

test('waits with a queued message for the message that is being sent', async () => {
  const api = new ScriptedApi()
  const queue = serveQueue(api)
  openChat(shortChat, api)
  const server = acceptRuns(api)
  await send('First')
  await userEvent.type(input(), 'Second{Enter}')
  await waitFor(() => expect(rowTexts()).toEqual(['Second']))
  await settle()
  expect(queue.texts()).toEqual([])
  server.started()
  await waitFor(() => expect(queue.texts()).toEqual(['Second']))
})

test('queues a message that was refused because a reply has just begun elsewhere', async () => {
  expectConsole('error', /Error sending message: Conflict/)
  const api = new ScriptedApi()
  const queue = serveQueue(api)
  api.on('POST /api/chat/completions', () => failure(409, 'run_active', 'Still answering.', 'Conflict'))
  openChat(shortChat, api)
  await send('Second thought')
  await waitFor(() => expect(queue.texts()).toEqual(['Second thought']))
  expect(input()).toHaveValue('')
  const sent = api.seen('POST /api/chat/completions')[0]?.body as { id: string }
  expect(queue.read().messages[0]?.id).toBe(sent.id)
})

test.each([
  ['approval', 'Paused: a tool call waits for you. Continue denies it.'],
  ['expired', 'Paused: nobody decided about a tool call in time.'],
  ['failed', 'Paused: the last reply failed.'],
  ['stopped', 'Paused: you stopped the reply.'],
  ['interrupted', 'Paused: the server was restarted.'],
  ['refused', 'Paused: The message is too long for Owl.'],
] as const)('says that a queue is paused (%s), and goes on', async (paused, text) => {
  const reason = paused === 'refused' ? { reason: 'The message is too long for Owl.' } : {}
  const { api } = await openPaused([waiting('q1', 'Next')], { paused, ...reason })
  expect(screen.getByText(text)).toBeVisible()
  // Enter sends as usual.
  await userEvent.type(input(), 'word')
  expect(queueButton()).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }))
  await waitFor(() => expect(api.seen('POST /api/chat/queue/continue')).toHaveLength(1))
  expect(api.seen('POST /api/chat/queue/continue')[0]?.body).toMatchObject({ id: 'q1', paused })
  await waitFor(() => expect(screen.queryByText(text)).toBeNull())
})

test('lets the chosen bot reply to the message of a deleted one', async () => {
  const { api } = await openPaused([waiting('q1', 'Next', { bot: null })], { paused: 'no_bot' })
  expect(screen.getByText('Paused: the bot of the next message was deleted.')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Continue with Owl' }))
  await waitFor(() => expect(api.seen('PATCH /api/chat/queue/q1')).toHaveLength(1))
  expect(api.seen('PATCH /api/chat/queue/q1')[0]?.body).toMatchObject({ botName: 'Owl' })
})

test('removes a row when its message arrives in the reply, and shows the message once', async () => {
  const { server } = await openRunning([waiting('q1', 'Use zstd', { steers: true })])
  expect(screen.getByText('Goes in at the next step')).toBeVisible()
  expect(
    within(rows()[0]!)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual(['Take back'])
  const { stream } = server
  stream().send({
    type: 'tool_call',
    message_id: 'a9',
    server: 'files',
    tool: 'read',
    arguments: '{}',
    plainContent: '',
    call: { state: 'running' },
  })
  const result = message('r1', 'a9', { server: 'files', tool: 'read' })
  stream().send({ type: 'tool_result', role: 'user', content: 'x', message: result })
  stream().send({ type: 'message', message: message('q1', 'r1', { content: 'Use zstd' }) })
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Queued messages' })).toBeNull())
  expect(screen.getAllByText('Use zstd', inMessages)).toHaveLength(1)
  stream().send({
    type: 'reply',
    assistant_message: reply('a10', 'q1', { content: '', status: 'streaming' }),
  })
  stream().text('With zstd then.')
  expect(await screen.findByText('With zstd then.')).toBeVisible()
  expect(articles().map(({ ariaLabel, textContent }) => ariaLabel ?? textContent)).toHaveLength(6)
  // What was written before the message is complete, and what follows it is being written.
  expect(articles().map((article) => article.getAttribute('aria-busy'))).toEqual([
    null,
    null,
    null,
    null,
    null,
    'true',
  ])
  stream().end()
  await screen.findByRole('button', { name: 'Send message' })
})

test('follows the next run, which begins with a queued message', async () => {
  const { api, queue, server } = await openRunning([waiting('q1', 'Then the script')])
  server.stream().end()
  queue.change({ messages: [] })
  const user_message = message('q1', 'a9', { content: 'Then the script' })
  const assistant_message = reply('b1', 'q1', { content: '', status: 'streaming' })
  const event = { type: 'started', seq: 1, user_message, assistant_message } as const
  emit(api, { type: 'run', chatId: 'c1', messageId: 'b1', event })
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Queued messages' })).toBeNull())
  expect(screen.getAllByText('Then the script', inMessages)).toHaveLength(1)
  expect(screen.getByRole('button', { name: 'Stop' })).toBeVisible()
  await settle()
})

test('reads the queue again when another page has changed it', async () => {
  const { api, queue } = await openRunning([waiting('q1', 'One')])
  queue.change({ messages: [waiting('q1', 'One'), waiting('q2', 'Two')] })
  emit(api, { type: 'chat_changed', chatId: 'c1' })
  await waitFor(() => expect(rowTexts()).toEqual(['One', 'Two']))
})

test('moves, edits and removes messages with the keyboard alone', async () => {
  const { queue } = await openRunning(['One', 'Two', 'Three'].map((text) => waiting(text, text)))
  const user = userEvent.setup()
  await user.click(input())
  await user.keyboard('{ArrowUp}')
  expect(rows()[2]).toHaveFocus()
  await user.keyboard('{ArrowUp}{Alt>}{ArrowUp}{/Alt}')
  await waitFor(() => expect(queue.texts()).toEqual(['Two', 'One', 'Three']))
  await waitFor(() => expect(rows()[0]).toHaveFocus())
  await user.keyboard('{Enter}')
  const editor = screen.getByRole('textbox', { name: 'Queued message' })
  expect(editor).toHaveFocus()
  await user.keyboard(' and more{Enter}')
  await waitFor(() => expect(queue.texts()).toEqual(['Two and more', 'One', 'Three']))
  await waitFor(() => expect(rows()[0]).toHaveFocus())
  await user.keyboard('{ArrowDown}{Delete}')
  await waitFor(() => expect(queue.texts()).toEqual(['Two and more', 'Three']))
  expect(rows()[1]).toHaveFocus()
  await user.keyboard('{Escape}')
  expect(input()).toHaveFocus()
  // Escape has not stopped the reply.
  expect(screen.getByRole('button', { name: 'Stop' })).toBeVisible()
  act(() => toasts.get()[0]?.action?.run())
  await waitFor(() => expect(queue.texts()).toEqual(['Two and more', 'One', 'Three']))
})

test('keeps what was changed of a message that is sent meanwhile, and edits it in the chat', async () => {
  const { api, queue, server } = await openRunning([waiting('q1', 'One')])
  await userEvent.click(screen.getByRole('button', { name: 'Edit' }))
  await userEvent.keyboard(' changed')
  queue.change({ messages: [] })
  server.stream().end()
  const user_message = message('q1', 'a9', { content: 'One' })
  const assistant_message = reply('b1', 'q1', { content: '', status: 'streaming' })
  const event = { type: 'started', seq: 1, user_message, assistant_message } as const
  // The editor in the chat loads code of its own.
  await act(async () => api.client.live.emit({ type: 'run', chatId: 'c1', messageId: 'b1', event }))
  const editor = await screen.findByRole('form', { name: 'Edit message' })
  expect(within(editor).getByRole('textbox')).toHaveValue('One changed')
  expect(input()).toHaveFocus()
})

test('queues the files of the input, and names them in the row', async () => {
  const { api, queue } = await openRunning()
  const file = { id: 'f1', name: 'cat.pdf', type: 'application/pdf', size: 2_500 }
  api.on('GET /api/files/f1/preview', () => new Response(null, { status: 404 }))
  api.on('POST /api/files/plan', () => json({ files: [] }))
  act(() => changeDraftFiles(storageKeys.draft('c1'), () => [file]))
  await userEvent.type(input(), 'What is it?{Enter}')
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'file', file },
  ]
  await waitFor(() => expect(queue.texts()).toEqual([content]))
  expect(rows()[0]).toHaveTextContent('1 fileWhat is it?')
  expect(input()).toHaveValue('')
})

test('leaves ArrowUp to the text that is being written', async () => {
  await openRunning([waiting('q1', 'One')])
  await userEvent.type(input(), 'word{ArrowUp}')
  expect(input()).toHaveFocus()
})

test('steers a message, takes it back, and sends one now', async () => {
  const { api, queue } = await openRunning([waiting('q1', 'One'), waiting('q2', 'Two')])
  const user = userEvent.setup()
  await user.click(within(rows()[0]!).getByRole('button', { name: 'Steer' }))
  await screen.findByText('Goes in at the next step')
  expect(queue.read().messages[0]).toMatchObject({ id: 'q1', steers: true })
  await user.click(screen.getByRole('button', { name: 'Take back' }))
  await waitFor(() => expect(screen.queryByText('Goes in at the next step')).toBeNull())
  await user.click(within(rows()[1]!).getByRole('button', { name: 'Send now' }))
  await waitFor(() => expect(api.seen('POST /api/chat/queue/q2/send')).toHaveLength(1))
  expect(input()).toHaveFocus()
})

test('shows the server’s order again when a move is refused', async () => {
  expectConsole('error', /could not be moved/)
  const { api } = await openRunning([waiting('q1', 'One'), waiting('q2', 'Two')])
  api.on('PATCH /api/chat/queue/q2', () => failure(409, 'conflict', 'The message was sent meanwhile.'))
  const user = userEvent.setup()
  await user.click(within(rows()[1]!).getByRole('button', { name: 'More' }))
  await user.click(screen.getByRole('menuitem', { name: /Move up/ }))
  expect(
    await screen.findByText('The message could not be moved: The message was sent meanwhile.'),
  ).toBeVisible()
  await waitFor(() => expect(rowTexts()).toEqual(['One', 'Two']))
})

test('keeps the changed text when its message cannot be changed any more', async () => {
  expectConsole('error', /could not be changed/)
  const { api } = await openRunning([waiting('q1', 'One')])
  api.on('PATCH /api/chat/queue/q1', () => failure(409, 'conflict', 'The message was sent meanwhile.'))
  await userEvent.click(screen.getByRole('button', { name: 'Edit' }))
  await userEvent.keyboard(' changed{Enter}')
  await screen.findByText('The message could not be changed: The message was sent meanwhile.')
  expect(screen.getByRole('textbox', { name: 'Queued message' })).toHaveValue('One changed')
  await userEvent.keyboard('{Escape}')
  expect(rowTexts()).toEqual(['One'])
  expect(rows()[0]).toHaveFocus()
})

test('reorders by dragging a grip', async () => {
  const { queue } = await openRunning(['One', 'Two', 'Three'].map((text) => waiting(text, text)))
  Element.prototype.setPointerCapture = () => undefined
  for (const [index, row] of rows().entries())
    row.getBoundingClientRect = () => ({ top: index * 40, height: 40 }) as DOMRect
  const grip = rows()[2]!.querySelector('.queue-grip')!
  fireEvent.pointerDown(grip, { button: 0, pointerId: 1, clientY: 100 })
  fireEvent.pointerMove(grip, { clientY: 5 })
  fireEvent.pointerUp(grip, { clientY: 5 })
  await waitFor(() => expect(queue.texts()).toEqual(['Three', 'One', 'Two']))
  expect(rowTexts()).toEqual(['Three', 'One', 'Two'])
})
