import { act, createEvent, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ChatSummary } from '@yonder/contract/chat'
import { expect, it, vi } from 'vitest'
import { ChatListContext, ChatListStore } from '../../data/chat-list.ts'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { makeChatSummary } from '../../testing/wire-objects.ts'
import { HistoryDialog } from './history-dialog.tsx'

const route = 'GET /api/chats'

function chat(id: string, question: string, model: string): ChatSummary {
  return makeChatSummary({
    id,
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: `Reply to ${question}`, model },
    ],
  })
}

const chats = [
  chat('a', 'Bake bread', 'claude-sonnet'),
  chat('b', 'Read stars', 'gemini-pro'),
  chat('c', 'Dive deep', 'deepseek-chat'),
  chat('d', 'Count sheep', 'gpt-5'),
]

/** A server that searches the chats and returns them in pages. */
function serve(chats: readonly ChatSummary[]): ScriptedApi {
  return new ScriptedApi().on(route, ({ query }) => {
    const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))]
    const search = query.get('search') ?? ''
    const found = chats.filter((one) => JSON.stringify(one).toLowerCase().includes(search.toLowerCase()))
    return json({
      chats: found.slice((page - 1) * limit, page * limit),
      total: found.length,
      page,
      limit,
    })
  })
}

function open(api: ScriptedApi) {
  const onClose = vi.fn()
  return { ...renderScreen(api, <HistoryDialog onClose={onClose} />, '/settings/general'), onClose }
}

const rows = () => screen.getAllByRole('link')
const box = () => screen.getByRole('searchbox', { name: 'Search chats' })

it('limits a search to the length that the server accepts', async () => {
  open(serve(chats))
  fireEvent.change(box(), { target: { value: 'x'.repeat(499) } })
  await userEvent.type(box(), 'yz{Enter}')
  expect(box()).toHaveValue(`${'x'.repeat(499)}y`)
})

it('shows the ten most recent chats when it opens (§2.41, §9.5, §7.8)', async () => {
  const api = serve(chats)
  open(api)
  expect(screen.getByRole('dialog', { name: 'Search chats' })).toHaveAttribute('open')
  expect(box()).toHaveFocus()
  expect(await screen.findAllByRole('link')).toHaveLength(4)
  const [request] = api.seen(route)
  expect(Object.fromEntries(request?.query ?? [])).toEqual({ search: '', page: '1', limit: '10' })
})

it('shows the icon of the model, the title, the preview and the time (§2.43, §1.8)', async () => {
  open(serve(chats))
  const [claude, gemini, deepseek, other] = await screen.findAllByRole('link')
  expect(within(claude!).getByText('Bake bread')).toBeVisible()
  expect(within(claude!).getByText('Reply to Bake bread')).toBeVisible()
  expect(claude!.querySelector('time')).toHaveAttribute('datetime', '2026-01-02T03:04:05.000Z')
  expect(within(claude!).getByRole('img', { name: 'Claude' })).toBeVisible()
  expect(within(gemini!).getByRole('img', { name: 'Gemini' })).toBeVisible()
  expect(within(deepseek!).getByRole('img', { name: 'DeepSeek' })).toBeVisible()
  expect(within(other!).queryByRole('img')).toBeNull()
})

it('applies the search on Enter, and not before (§2.42)', async () => {
  const api = serve(chats)
  open(api)
  await screen.findByText('Read stars')
  await userEvent.type(box(), 'bread')
  expect(rows()).toHaveLength(4)
  expect(api.seen(route)).toHaveLength(1)
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(rows()).toHaveLength(1))
  expect(api.seen(route).at(-1)?.query.get('search')).toBe('bread')
  expect([...rows()[0]!.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['bread', 'bread'])
  await userEvent.clear(box())
  await waitFor(() => expect(rows()).toHaveLength(4))
})

it('shows the passage that a search has found, whose it is, and links to its message (§2.43)', async () => {
  const passage = {
    message_id: 'm7',
    role: 'assistant' as const,
    bot: 'Ada',
    time: '2026-01-02T03:04:05.000Z',
    text: '…from Gothenburg, you take the 9:40 ferry from Saltholmen. A family ticket costs less, and dogs travel free of…',
    count: 4,
  }
  const own = { ...passage, role: 'user' as const, bot: undefined, time: undefined, count: 1 }
  const found = [
    { ...chat('a', 'Plan a weekend', 'claude-sonnet'), passage },
    { ...chat('b', 'Pack', 'm'), title: 'Ferry to Iceland', title_source: 'user' as const, passage: own },
    { ...chat('c', 'Rename', 'm'), title: 'Ferry times', title_source: 'user' as const, project_id: 'p' },
    { ...chat('d', 'Many', 'm'), archived: true, project_id: 'p', passage: { ...passage, count: 100 } },
  ]
  open(serve(found).on('GET /api/projects', () => json([{ id: 'p', name: 'Thesis', bot: null }])))
  await userEvent.type(box(), 'ferry{Enter}')
  await waitFor(() => expect(rows()).toHaveLength(4))
  const [first, second, third, fourth] = rows()
  expect(first).toHaveAttribute('href', '/chat/a#message=m7&words=ferry')
  expect(third).toHaveAttribute('href', '/chat/c')
  expect(within(first!).getByText(/Saltholmen/)).toHaveTextContent(
    '…take the 9:40 ferry from Saltholmen. A family tick…',
  )
  expect([...first!.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['ferry'])
  expect(within(first!).getByText('4 passages, this one 2026-01-02 by Ada')).toBeVisible()
  expect(second).toHaveTextContent('Ferry to Iceland')
  expect(within(second!).getByText('1 passage, by you')).toBeVisible()
  expect(within(third!).getByText('Reply to Rename')).toBeVisible()
  expect(within(third!).queryByText(/passage/)).toBeNull()
  expect(await within(third!).findByText('In Thesis')).toBeVisible()
  expect(
    await within(fourth!).findByText('100 or more passages, this one 2026-01-02 by Ada, archived, in Thesis'),
  ).toBeVisible()
})

it('opens a chat on a click, and closes (§2.44)', async () => {
  const { path, onClose } = open(serve(chats))
  await userEvent.click(await screen.findByText('Dive deep'))
  expect(path()).toBe('/chat/c')
  expect(onClose).toHaveBeenCalledOnce()
})

it.each(['{Control>}', '{Meta>}', '{Shift>}', '{Alt>}'])(
  'stays open when a modifier key opens the chat in another tab or window: %s',
  async (held) => {
    const { path, onClose } = open(serve(chats))
    const row = await screen.findByText('Dive deep')
    const user = userEvent.setup()
    await user.keyboard(held)
    await user.click(row)
    expect(path()).toBe('/settings/general')
    expect(onClose).not.toHaveBeenCalled()
  },
)

it('opens a chat by arrow keys and Enter', async () => {
  const { path } = open(serve(chats))
  await screen.findByText('Bake bread')
  await userEvent.keyboard('{ArrowUp}')
  expect(box()).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}')
  expect(rows()[1]).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  expect(path()).toBe('/chat/b')
})

it('closes on its button, its backdrop and Escape (§2.41)', async () => {
  const { onClose } = open(serve(chats))
  await screen.findByText('Bake bread')
  const [close] = screen.getAllByRole('button', { name: 'Close' }).slice(-1)
  await userEvent.click(close!)
  const dialog = screen.getByRole('dialog')
  await userEvent.click(dialog)
  // The browser dispatches this event for Escape.
  dialog.dispatchEvent(new Event('cancel', { cancelable: true }))
  expect(onClose).toHaveBeenCalledTimes(3)
})

it('closes on the first Escape also while the search box has text (§2.41)', async () => {
  const { onClose } = open(serve(chats))
  await screen.findByText('Bake bread')
  await userEvent.type(box(), 'bread')
  const escape = createEvent.keyDown(box(), { key: 'Escape' })
  fireEvent(box(), escape)
  expect(onClose).toHaveBeenCalledOnce()
  // The browser would empty the box, or close the dialog a second time.
  expect(escape.defaultPrevented).toBe(true)
})

it('shows that it loads, that there are no chats yet, and that none was found (§2.45)', async () => {
  open(serve([]))
  expect(screen.getByText('Loading chats...')).toBeVisible()
  expect(await screen.findByText('No chats yet')).toBeVisible()
  await userEvent.type(box(), 'unicorn{Enter}')
  expect(await screen.findByText('No chats found')).toBeVisible()
  expect(screen.getByText('No chats', { selector: 'output' })).toBeInTheDocument()
  expect(screen.queryByText('No chats yet')).toBeNull()
})

it('shows an error with a retry (§2.45, §8.29)', async () => {
  expectConsole('error', /fetching the data\. 500/)
  const api = serve(chats)
  api.on(route, () => failure(500, 'internal', 'Down.'))
  open(api)
  expect(await screen.findByText('Error loading chats')).toBeVisible()
  api.on(route, () => json({ chats, total: 4, page: 1, limit: 10 }))
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Bake bread')).toBeVisible()
})

it('only logs a 401 (§8.29)', async () => {
  expectConsole('error', /could not be searched: the user is signed out/)
  const api = new ScriptedApi().on(route, () => failure(401, 'unauthenticated', 'Gone.'))
  open(api)
  await waitFor(() => expect(api.signedOut).toBe(true))
  await waitFor(() => expect(screen.queryByText('Loading chats...')).toBeNull())
  expect(screen.queryByText('Error loading chats')).toBeNull()
})

it('shows placeholders for an empty chat (§2.46)', async () => {
  open(serve([makeChatSummary({ id: 'e' })]))
  expect(await screen.findByText('New Chat')).toBeVisible()
  expect(screen.getByText('Start a new conversation...')).toBeVisible()
})

it('loads further pages of ten (§9.5)', async () => {
  const many = [...Array(23).keys()].map((at) => chat(`n${at}`, `Question ${at}`, 'm'))
  const api = serve(many)
  open(api)
  for (const count of [10, 20]) {
    await waitFor(() => expect(rows()).toHaveLength(count))
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
  }
  await waitFor(() => expect(rows()).toHaveLength(23))
  // The button is gone. The next key reaches the first new row.
  expect(rows()[19]).toHaveFocus()
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
  expect(api.seen(route).map(({ query }) => query.get('page'))).toEqual(['1', '2', '3'])
})

it('follows what the server announces without reading the chats again', async () => {
  const many = [...Array(14).keys()].map((at) =>
    makeChatSummary({
      id: `n${at}`,
      title: `Title ${at}`,
      update_time: new Date(Date.UTC(2026, 0, 1, 0, 30 - at)).toISOString(),
      messages: [{ role: 'user', content: `Question ${at}` }],
    }),
  )
  const api = serve(many)
  const store = new ChatListStore(api.client)
  store.follow()
  renderScreen(
    api.on('GET /api/chat-list/marks', () => json({ marks: [] })),
    <ChatListContext value={store}>
      <HistoryDialog onClose={() => undefined} />
    </ChatListContext>,
  )
  const announce = (chats: readonly ChatSummary[], gone: string[] = []) =>
    act(() =>
      api.client.live.emit({
        type: 'chats_listed',
        chats: chats.map((chat) => ({ ...chat, title: chat.title ?? '' })),
        gone,
      }),
    )
  const ids = () => rows().map((row) => row.getAttribute('href')?.replace('/chat/', ''))
  await waitFor(() => expect(rows()).toHaveLength(10))
  const later = (minute: number) => new Date(Date.UTC(2026, 0, 2, 0, minute)).toISOString()
  const messages = [{ role: 'user' as const, content: 'New' }]
  announce([makeChatSummary({ id: 'new', title: 'New', update_time: later(2), messages })], ['n2'])
  announce([
    { ...many[1]!, deleted_time: later(1) },
    { ...many[12]!, title: 'Too old' },
  ])
  const answered = [...many[3]!.messages, { role: 'assistant' as const, content: 'Answer' }]
  announce([{ ...many[3]!, messages: answered, update_time: later(1) }])
  expect(ids()).toEqual(['new', 'n3', 'n0', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9'])
  expect(within(rows()[1]!).getByText('Answer')).toBeVisible()
  expect(api.seen(route)).toHaveLength(1)
  // The next page has the chat that stood on the first one of the server until then.
  many.splice(1, 2)
  await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
  await waitFor(() => expect(rows()).toHaveLength(13))
})
