import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Chat } from '@yonder/contract/chat'
import { continueText, toContent } from '@yonder/contract/message-text'
import { beforeEach, expect, test, vi } from 'vitest'
import { dismissToast, toasts } from '../../../lib/toasts.ts'
import { defer } from '../../../testing/connectors-scene.tsx'
import { expectConsole } from '../../../testing/expect-console.ts'
import { renderScreen } from '../../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../../testing/scripted-api.ts'
import { makeBot, makeChat, makeMessage, makeReply, owlAndFox } from '../../../testing/wire-objects.ts'
import { ToastRegion } from '../../../ui/toast/toast-region.tsx'
import { ChatView } from '../chat-view.tsx'
import { outbox } from '../session/outbox.ts'

const chat = makeChat(
  [
    makeMessage('u1', null),
    makeReply('a1', 'u1'),
    makeMessage('u2', 'a1'),
    makeReply('b1', 'u2'),
    makeReply('b2', 'u2'),
    makeMessage('u3', 'b1'),
  ],
  { selected_message_id: 'b2' },
)

function open(shown: Chat = chat, api = new ScriptedApi(), bots = [makeBot()]) {
  api.on('GET /api/bots', () => json(bots)).on('GET /api/chats/c1', () => json(shown))
  renderScreen(
    api,
    <>
      <ChatView chatId="c1" />
      <ToastRegion />
    </>,
    '/chat/c1',
  )
  return api
}

const articles = () => screen.queryAllByRole('article')
const lastArticle = () => articles().at(-1) as HTMLElement
const button = (name: string, within_ = lastArticle()) => within(within_).getByRole('button', { name })
const ready = () => screen.findByRole('combobox')
const sentBodies = (api: ScriptedApi) => api.seen('POST /api/chat/completions').map(({ body }) => body)

beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined)
  for (const { id } of toasts.get()) dismissToast(id)
})

test('shows which version of how many is selected, and disables the buttons at the ends (§2.35)', async () => {
  open()
  await ready()
  expect(lastArticle()).toHaveTextContent('text of b2')
  expect(within(lastArticle()).getByText('2/2')).toBeVisible()
  expect(button('Next version')).toHaveAttribute('aria-disabled', 'true')
  expect(button('Previous version')).not.toHaveAttribute('aria-disabled')
  // A message without other versions has no such buttons.
  expect(within(articles()[0] as HTMLElement).queryByRole('button', { name: 'Next version' })).toBeNull()
})

test('shows another version at once, saves it, and reads the chat again (§4.25, §7.13)', async () => {
  let selected = 'b2'
  const api = new ScriptedApi().on('POST /api/chat/select-response', () => {
    selected = 'u3'
    return json({ selected_message_id: 'u3' })
  })
  open(chat, api)
  api.on('GET /api/chats/c1', () => json({ ...chat, selected_message_id: selected }))
  await ready()
  await userEvent.click(button('Previous version'))
  expect(lastArticle()).toHaveTextContent('text of u3')
  expect(within(articles()[3] as HTMLElement).getByText('1/2')).toBeVisible()
  expect(button('Previous version', articles()[3])).toHaveAttribute('aria-disabled', 'true')
  await waitFor(() => expect(api.seen('GET /api/chats/c1')).toHaveLength(2))
  expect(api.seen('POST /api/chat/select-response')[0]?.body).toEqual({ chatId: 'c1', messageId: 'b1' })
  expect(lastArticle()).toHaveTextContent('text of u3')
})

test('keeps the focus on the button that led to the last version, which then does nothing', async () => {
  const api = new ScriptedApi().on('POST /api/chat/select-response', () =>
    json({ selected_message_id: 'u3' }),
  )
  open(chat, api)
  await ready()
  api.on('GET /api/chats/c1', () => json({ ...chat, selected_message_id: 'u3' }))
  button('Previous version').focus()
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(api.seen('GET /api/chats/c1')).toHaveLength(2))
  expect(button('Previous version', articles()[3])).toHaveFocus()
  // A browser takes the focus from a button with the attribute `disabled`; the simulated page of the tests does not.
  expect(button('Previous version', articles()[3])).toBeEnabled()
  await userEvent.keyboard('{Enter}')
  expect(within(articles()[3] as HTMLElement).getByText('1/2')).toBeVisible()
  expect(api.seen('POST /api/chat/select-response')).toHaveLength(1)
})

test('saves the first and the last of several choices in a row, one after the other', async () => {
  const replies = ['b1', 'b2', 'b3', 'b4'].map((id) => makeReply(id, 'u2'))
  const versions = makeChat([
    makeMessage('u1', null),
    makeReply('a1', 'u1'),
    makeMessage('u2', 'a1'),
    ...replies,
  ])
  const first = defer<void>()
  const api = new ScriptedApi().on('POST /api/chat/select-response', async ({ body }) => {
    const { messageId } = body as { messageId: string }
    if (messageId === 'b3') await first.promise
    return json({ selected_message_id: messageId })
  })
  open(versions, api)
  await ready()
  const saved = () => api.seen('POST /api/chat/select-response').map(({ body }) => body)
  await userEvent.click(button('Previous version'))
  await userEvent.click(button('Previous version'))
  await userEvent.click(button('Previous version'))
  expect(lastArticle()).toHaveTextContent('text of b1')
  expect(saved()).toEqual([{ chatId: 'c1', messageId: 'b3' }])
  first.resolve()
  await waitFor(() => expect(saved()).toHaveLength(2))
  expect(saved()[1]).toEqual({ chatId: 'c1', messageId: 'b1' })
})

test('returns to the version of the server when a choice could not be saved', async () => {
  expectConsole('error', /^Error selecting response/)
  open(
    chat,
    new ScriptedApi().on('POST /api/chat/select-response', () => failure(503, 'unavailable', 'Away.')),
  )
  await ready()
  await userEvent.click(button('Previous version'))
  expect(await screen.findByText('The chosen version could not be saved: Away.')).toBeVisible()
  await waitFor(() => expect(lastArticle()).toHaveTextContent('text of b2'))
})

test('regenerates: clears the reply and requests another one to the same message (§4.24)', async () => {
  const server = new ScriptedApi()
  const stream = server.runs('POST /api/chat/completions')
  const api = open(chat, server)
  await ready()
  await userEvent.click(button('Regenerate'))
  expect(lastArticle()).not.toHaveTextContent('text of b2')
  expect(lastArticle()).toHaveAttribute('aria-busy', 'true')
  expect(sentBodies(api)).toEqual([{ chatId: 'c1', userMessageId: 'u2', botName: 'Owl' }])
  stream().send({
    type: 'started',
    user_message: makeMessage('u2', 'a1'),
    assistant_message: makeReply('b3', 'u2', { content: '', status: 'streaming' }),
  })
  stream().text('A third one')
  stream().end()
  expect(await within(lastArticle()).findByText('3/3')).toBeVisible()
  expect(lastArticle()).toHaveTextContent('A third one')
  expect(screen.getByRole('textbox', { name: 'Message' })).toHaveFocus()
  // The chat is not read again for it.
  expect(api.seen('GET /api/chats/c1')).toHaveLength(1)
})

test('shows the old reply again when another one is being written (409)', async () => {
  expectConsole('error', /^The reply could not be regenerated/)
  open(
    chat,
    new ScriptedApi().on('POST /api/chat/completions', () => failure(409, 'run_active', 'Busy.')),
  )
  await ready()
  await userEvent.click(button('Regenerate'))
  expect(await screen.findByText(/Another reply is being written in this chat/)).toBeVisible()
  expect(lastArticle()).toHaveTextContent('text of b2')
})

test('keeps a message that was not sent while a reply is regenerated', async () => {
  const server = new ScriptedApi()
  const stream = server.runs('POST /api/chat/completions')
  open(chat, server)
  const unsent = { id: 'x', parentId: 'b2', content: 'Unsent', botName: 'Owl' }
  await ready()
  outbox.write('c1', { message: unsent, sentAt: 1, failure: { text: 'Offline.' } })
  await userEvent.click(button('Regenerate'))
  stream().send({
    type: 'started',
    user_message: makeMessage('u2', 'a1'),
    assistant_message: makeReply('b3', 'u2', { content: '', status: 'streaming' }),
  })
  stream().end()
  await within(lastArticle()).findByText('3/3')
  expect(outbox.read('c1')?.message).toEqual(unsent)
  outbox.clear('c1')
})

test.each(['failed', 'stopped', 'interrupted'] as const)(
  'shows a labelled regenerate button under a reply that was %s',
  async (status) => {
    const server = new ScriptedApi()
    const stream = server.runs('POST /api/chat/completions')
    const ended = { ...chat, messages: [makeMessage('u1', null), makeReply('a1', 'u1', { status })] }
    const api = open({ ...ended, selected_message_id: 'a1' }, server)
    await ready()
    expect(within(lastArticle()).getAllByRole('button', { name: 'Regenerate' })).toHaveLength(1)
    await userEvent.click(within(lastArticle()).getByText('Regenerate'))
    expect(sentBodies(api)).toEqual([{ chatId: 'c1', userMessageId: 'u1', botName: 'Owl' }])
    stream().end()
  },
)

const cut = { content: 'Once upon', finish: 'length' } as const

test('continues a reply that was cut by its limit, with its bot and in the same message', async () => {
  const server = new ScriptedApi()
  const stream = server.runs('POST /api/chat/completions')
  const written = makeReply('a1', 'u1', { ...cut, bot: 'Fox' })
  const api = open(makeChat([makeMessage('u1', null), written]), server, [...owlAndFox])
  await ready()
  await userEvent.click(button('Continue'))
  const [body] = sentBodies(api)
  expect(body).toEqual({
    chatId: 'c1',
    id: expect.any(String),
    parentId: 'a1',
    content: continueText,
    botName: 'Fox',
  })
  stream().send({
    type: 'started',
    user_message: makeMessage((body as { id: string }).id, 'a1', { content: continueText }),
    assistant_message: makeReply('a2', (body as { id: string }).id, { content: '', status: 'streaming' }),
  })
  stream().text('a time')
  expect(await screen.findByText('Once upon a time')).toBeVisible()
  stream().end()
  await within(lastArticle()).findByRole('button', { name: 'Regenerate' })
  expect(articles()).toHaveLength(2)
  expect(screen.queryByText(/Your reply was cut off/)).toBeNull()
  expect(screen.queryByText(/Cut off/)).toBeNull()
})

test('offers to continue only the last reply, and says why a request to do so failed', async () => {
  expectConsole('error', /The reply could not be continued/)
  const api = open(
    makeChat([
      makeMessage('u1', null),
      makeReply('a1', 'u1', cut),
      makeMessage('u2', 'a1'),
      makeReply('a2', 'u2', cut),
    ]),
  )
  await ready()
  expect(screen.getAllByText('Cut off at the length limit.')).toHaveLength(2)
  api.on('POST /api/chat/completions', () => failure(503, 'unavailable', 'The database is full.'))
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }))
  expect(await screen.findByText('The reply could not be continued: The database is full.')).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Continue' })).toBeEnabled()
  expect(outbox.read('c1')).toBeUndefined()
})

test('sends an edited message as a sibling of the old one', async () => {
  const server = new ScriptedApi()
  const stream = server.runs('POST /api/chat/completions')
  const api = open(chat, server)
  await ready()
  await userEvent.click(button('Edit message', articles()[2]))
  const box = within(screen.getByRole('form', { name: 'Edit message' })).getByRole('textbox')
  expect(box).toHaveFocus()
  expect(box).toHaveValue('text of u2')
  await userEvent.clear(box)
  expect(screen.getByRole('button', { name: 'Send' })).toBeDisabled()
  await userEvent.type(box, 'Other words{Enter}')
  expect(sentBodies(api)).toEqual([
    { chatId: 'c1', id: expect.any(String), parentId: 'a1', content: 'Other words', botName: 'Owl' },
  ])
  expect(articles()).toHaveLength(4)
  expect(within(articles()[2] as HTMLElement).getByText('2/2')).toBeVisible()
  stream().end()
})

test('attaches files to an edited message, and sends when they are stored', async () => {
  const server = new ScriptedApi()
  const stream = server.runs('POST /api/chat/completions')
  const stored = { id: 'f1', name: 'cat.pdf', type: 'application/pdf', size: 3 }
  const upload = defer<Response>()
  server.on('POST /api/files', () => upload.promise)
  const api = open(chat, server)
  await ready()
  await userEvent.click(button('Edit message', articles()[2]))
  const picker = articles()[2]!.querySelector<HTMLInputElement>('input[type=file]')!
  await userEvent.upload(picker, new File(['cat'], 'cat.pdf'))
  await userEvent.click(screen.getByRole('button', { name: 'Send' }))
  expect(screen.getByText('Waiting for one file')).toBeVisible()
  expect(sentBodies(api)).toEqual([])
  upload.resolve(json(stored))
  const content = toContent('text of u2', [stored])
  await waitFor(() => expect(sentBodies(api)).toMatchObject([{ parentId: 'a1', content }]))
  expect(screen.queryByRole('form', { name: 'Edit message' })).toBeNull()
  stream().end()
})

test('gives the new message no files that are dropped on an edited one that waits', async () => {
  open(
    chat,
    new ScriptedApi().on('POST /api/files', () => defer<Response>().promise),
  )
  await ready()
  await userEvent.click(button('Edit message', articles()[2]))
  const picker = articles()[2]!.querySelector<HTMLInputElement>('input[type=file]')!
  await userEvent.upload(picker, new File(['cat'], 'cat.pdf'))
  await userEvent.click(screen.getByRole('button', { name: 'Send' }))
  const dataTransfer = { types: ['Files'], items: [], files: [new File(['dog'], 'dog.pdf')] }
  expect(fireEvent.drop(screen.getByText('Waiting for one file'), { dataTransfer })).toBe(false)
  expect(screen.getAllByRole('list', { name: 'Attached files' })).toHaveLength(1)
})

test('ends the uploads of an edited message that is discarded', async () => {
  const api = open(
    chat,
    new ScriptedApi().on('POST /api/files', () => defer<Response>().promise),
  )
  await ready()
  await userEvent.click(button('Edit message', articles()[2]))
  const picker = articles()[2]!.querySelector<HTMLInputElement>('input[type=file]')!
  await userEvent.upload(picker, new File(['cat'], 'cat.pdf'))
  await waitFor(() => expect(api.seen('POST /api/files')).toHaveLength(1))
  await userEvent.click(within(articles()[2]!).getByRole('button', { name: 'Cancel' }))
  expect(api.seen('POST /api/files')[0]?.upload?.signal.aborted).toBe(true)
})

test('sends a message again without the file that the provider refused', async () => {
  const [cat, dog] = ['cat.pdf', 'dog.pdf'].map((name) => ({
    id: name,
    name,
    type: 'application/pdf',
    size: 3,
  }))
  const server = new ScriptedApi()
  const stream = server.runs('POST /api/chat/completions')
  const message = 'Wood refused it. This is about the file "dog.pdf".'
  const api = open(
    makeChat([
      makeMessage('u1', null, { content: toContent('Which one?', [cat!, dog!]) }),
      makeReply('a1', 'u1', { status: 'failed', error: { code: 'file_refused', message } }),
    ]),
    server,
  )
  await ready()
  await userEvent.click(button('Send again without it'))
  const content = toContent('Which one?', [cat!])
  expect(sentBodies(api)).toMatchObject([{ parentId: null, content }])
  stream().end()
})

test('keeps the files of an edited message', async () => {
  const file = { id: 'f1', name: 'cat.pdf', type: 'application/pdf', size: 3 }
  const content = (text: string) => [
    { type: 'text' as const, text },
    { type: 'file' as const, file },
  ]
  const server = new ScriptedApi().on('POST /api/files/plan', () =>
    json({ files: [{ id: 'f1', as: 'text', tokens: 1 }] }),
  )
  const stream = server.runs('POST /api/chat/completions')
  const messages = chat.messages.map((each) =>
    each.id === 'u2' ? { ...each, content: content('Look') } : each,
  )
  const api = open({ ...chat, messages }, server)
  await ready()
  await userEvent.click(button('Edit message', articles()[2]))
  await userEvent.keyboard(' again{Enter}')
  expect(sentBodies(api)).toMatchObject([{ content: content('Look again') }])
  expect(articles()[2]).toHaveTextContent('cat.pdf')
  stream().end()
})

test('says in an edited message what the selected bot is given of its files', async () => {
  const file = { id: 'f1', name: 'cat.png', type: 'image/png', size: 3 }
  const server = new ScriptedApi()
    .on('GET /api/files/f1', () => new Response(new Uint8Array(3)))
    .on('POST /api/files/plan', ({ body }) => {
      const as = (body as { botName: string }).botName === 'Fox' ? 'picture' : 'name'
      return json({ files: [{ id: 'f1', as, tokens: 1 }] })
    })
  open(makeChat([makeMessage('u1', null, { content: toContent('Look', [file]) })]), server, [...owlAndFox])
  await ready()
  await userEvent.click(button('Edit message', articles()[0]))
  await userEvent.click(await screen.findByRole('button', { name: 'Ask Fox instead' }))
  await waitFor(() => expect(screen.queryByText(/cannot see pictures/)).toBeNull())
  expect(screen.getByRole('combobox')).toHaveValue('Fox')
})

test.each(['{Escape}', 'Cancel'])(
  'closes the editor without a change by %s, and returns the focus',
  async (way) => {
    const api = open()
    await ready()
    await userEvent.click(button('Edit message', articles()[2]))
    await userEvent.keyboard(' more')
    if (way === 'Cancel') await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    else {
      await userEvent.keyboard(way)
      expect(screen.getByRole('form', { name: 'Edit message' })).toBeInTheDocument()
      await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
    }
    expect(screen.queryByRole('form', { name: 'Edit message' })).toBeNull()
    expect(articles()[2]).toHaveTextContent('text of u2')
    await waitFor(() => expect(button('Edit message', articles()[2])).toHaveFocus())
    expect(sentBodies(api)).toEqual([])
  },
)

test('restores an open edit without moving the focus, and nothing of a cancelled edit', async () => {
  open()
  await ready()
  await userEvent.click(button('Edit message', articles()[2]))
  await userEvent.keyboard(' more')
  cleanup()
  open()
  await ready()
  const box = within(screen.getByRole('form', { name: 'Edit message' })).getByRole('textbox')
  expect(articles()[2]).toContainElement(box)
  expect(box).toHaveValue('text of u2 more')
  expect(box).not.toHaveFocus()
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(articles()[2]).toHaveTextContent('text of u2')
  cleanup()
  open()
  await ready()
  expect(screen.queryByRole('form', { name: 'Edit message' })).toBeNull()
  // Opened again, it begins with the text of the message.
  await userEvent.click(button('Edit message', articles()[2]))
  expect(screen.getByRole('textbox', { name: 'Message', description: /earlier version/ })).toHaveValue(
    'text of u2',
  )
  await userEvent.keyboard('x{Backspace}')
  cleanup()
  open()
  await ready()
  expect(screen.queryByRole('form', { name: 'Edit message' })).toBeNull()
})

test('keeps an edit open while another reply is requested', async () => {
  const server = new ScriptedApi()
  const stream = server.runs('POST /api/chat/completions')
  open(chat, server)
  await ready()
  await userEvent.click(button('Edit message', articles()[0]))
  await userEvent.keyboard(' more')
  await userEvent.click(button('Regenerate'))
  const form = screen.getByRole('form', { name: 'Edit message' })
  expect(within(form).getByRole('textbox')).toHaveValue('text of u1 more')
  expect(within(form).getByRole('button', { name: 'Send' })).toBeDisabled()
  stream().end()
})

test('disables every change while a reply is being written', async () => {
  const running = {
    ...chat,
    messages: [...chat.messages, makeReply('c1', 'u3', { status: 'streaming', content: '' })],
  }
  open({ ...running, selected_message_id: 'c1', run: { message_id: 'c1', seq: 1 } })
  await ready()
  const earlier = articles()[3] as HTMLElement
  expect(button('Regenerate', earlier)).toBeDisabled()
  expect(button('Next version', earlier)).toHaveAttribute('aria-disabled', 'true')
  expect(button('Edit message', articles()[0])).toBeDisabled()
})
