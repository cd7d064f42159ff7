import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ListedChat } from '@yonder/contract/chat-list'
import type { Project } from '@yonder/contract/project'
import { useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { ChatListContext, ChatListStore } from '../../data/chat-list.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { json, ScriptedApi } from '../../testing/scripted-api.ts'
import { ChatListPanel, type ChatListPanelProps } from './chat-list-panel.tsx'
import type { Mark } from './show-only-menu.tsx'

const day = 86_400_000
const makeRow = (id: string, daysAgo: number, more: Partial<ListedChat> = {}): ListedChat => ({
  id,
  title: `Title of ${id}`,
  update_time: new Date(Date.now() - daysAgo * day).toISOString(),
  ...more,
})

let api: ScriptedApi
let chats: readonly ListedChat[]
let projects: readonly Project[]
const announce = (...rows: readonly ListedChat[]) =>
  act(() =>
    api.client.live.emit({
      type: 'chats_listed',
      chats: rows.map((row) => ({ ...row, messages: [] })),
      gone: [],
    }),
  )

beforeEach(() => {
  chats = []
  projects = []
  api = new ScriptedApi()
    .on('GET /api/chat-list', ({ query }) =>
      json({
        chats: chats.filter(({ pinned, project_id, unread }) =>
          query.get('section') === 'unread'
            ? unread
            : query.get('section') === 'project'
              ? query.get('project') === project_id
              : project_id === undefined && query.get('section') === (pinned ? 'pinned' : 'recent'),
        ),
        next: null,
      }),
    )
    .on('GET /api/chat-list/marks', () => json({ marks: [] }))
    .on('GET /api/projects', () => json(projects))
})

function Panel({ onOpen }: Pick<ChatListPanelProps, 'onOpen'>) {
  const [only, setOnly] = useState<Mark>()
  return <ChatListPanel only={only} onOnly={setOnly} onOpen={onOpen} />
}

function open(path = '/') {
  const store = new ChatListStore(api.client)
  store.follow()
  const onOpen = vi.fn<() => void>()
  const view = renderScreen(
    api,
    <ChatListContext value={store}>
      <Panel onOpen={onOpen} />
    </ChatListContext>,
    path,
  )
  return { ...view, store, onOpen }
}

const link = (name: string | RegExp) => screen.findByRole('link', { name })
/** The links of the list, without the one to the inbox above it. */
const rowLinks = () => screen.queryAllByRole('link').filter((row) => row.closest('[data-row]') !== null)

test('a row says its state, of which waiting comes before running, running before failed, and that before unread', async () => {
  chats = [
    makeRow('a', 0, { unread: true, waiting: true, running: true }),
    makeRow('b', 0.1, { unread: true, failed: true, running: true }),
    makeRow('c', 0.2, { unread: true }),
    makeRow('d', 0.3, { failed: true }),
    makeRow('e', 0.4, { unread: true, failed: true }),
  ]
  open('/chat/d')
  await link(/^Title of a/)
  const names = rowLinks().map((row) => row.getAttribute('aria-label'))
  expect(names).toEqual([
    'Title of a, waits for approval',
    'Title of b, reply in progress',
    'Title of c, unread',
    'Title of d',
    'Title of e, reply failed',
  ])
  expect(screen.getByRole('link', { current: 'page' })).toHaveTextContent('Title of d')
})

test('the rows are one tab stop, at the open chat; keys and first letters move between them', async () => {
  chats = [
    makeRow('pin', 90, { pinned: true }),
    makeRow('b', 0),
    makeRow('c', 1),
    makeRow('x', 2, { title: 'Xylophone' }),
  ]
  const { onOpen, path } = open('/chat/c')
  await link('Title of c')
  const user = userEvent.setup()
  await user.tab()
  expect(screen.getByRole('searchbox')).toHaveFocus()
  await user.tab()
  expect(screen.getByRole('button', { name: 'Show only' })).toHaveFocus()
  await user.tab()
  expect(await link('Inbox')).toHaveFocus()
  await user.tab()
  expect(screen.getByRole('button', { name: 'New project' })).toHaveFocus()
  await user.tab()
  expect(await link('Title of c')).toHaveFocus()
  await user.keyboard('{ArrowUp}{ArrowUp}')
  expect(await link('Title of pin')).toHaveFocus()
  await user.keyboard('{ArrowUp}')
  expect(await link('Title of pin')).toHaveFocus()
  await user.keyboard('{End}')
  expect(await link('Xylophone')).toHaveFocus()
  await user.keyboard('{Home}xy')
  expect(await link('Xylophone')).toHaveFocus()
  await user.tab()
  expect(document.body).toHaveFocus()
  await user.tab({ shift: true })
  await user.keyboard('{Home}{Enter}')
  expect(path()).toBe('/chat/pin')
  expect(onOpen).toHaveBeenCalledOnce()
})

test('the focus stays on its chat when that moves to another group, and goes to the next one when it is gone', async () => {
  chats = [makeRow('a', 0), makeRow('b', 1), makeRow('c', 40)]
  open()
  const user = userEvent.setup()
  await link('Title of c')
  for (let stop = 0; stop < 4; stop++) await user.tab()
  await user.keyboard('{End}')
  announce(makeRow('c', 0))
  expect(screen.getByRole('link', { name: 'Title of c' })).toHaveFocus()
  expect(rowLinks()[0]).toHaveFocus()
  announce(makeRow('c', 0, { pinned: true }))
  expect(screen.getByRole('link', { name: 'Title of c' })).toHaveFocus()
  announce(makeRow('c', 0, { archived: true }))
  expect(screen.getByRole('link', { name: 'Title of a' })).toHaveFocus()
})

test('where no chat is listed, a row under the heads says so', async () => {
  open()
  const text = await screen.findByText('New chats are listed here.')
  const heads = screen.getByRole('heading', { name: 'Projects' })
  expect(heads.compareDocumentPosition(text)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(text.closest('[data-row]')).toHaveAttribute('data-row', '1')
  announce(makeRow('a', 0))
  expect(await link('Title of a')).toBeVisible()
  expect(text).not.toBeInTheDocument()
})

test('the unread chats alone, of which the opened one stays until the user goes on', async () => {
  chats = [makeRow('a', 0, { unread: true }), makeRow('b', 1), makeRow('c', 2, { unread: true })]
  api.on('PATCH /api/chats', ({ body }) => {
    const { chats: ids } = body as { chats: string[] }
    return json({
      ids,
      chats: chats.filter(({ id }) => ids.includes(id)).map(({ unread: _, ...row }) => row),
    })
  })
  const { store } = open()
  const names = () => rowLinks().map((row) => row.getAttribute('aria-label'))
  const user = userEvent.setup()
  await link('Title of b')
  await user.click(screen.getByRole('button', { name: 'Show only' }))
  await user.keyboard('{Enter}')
  expect(screen.getByRole('button', { name: 'Show only' })).toHaveFocus()
  await waitFor(() => expect(names()).toEqual(['Title of a, unread', 'Title of c, unread']))
  await user.click(await link('Title of a, unread'))
  act(() => void store.show('a'))
  await waitFor(() => expect(names()).toEqual(['Title of a', 'Title of c, unread']))
  announce(makeRow('d', -1, { unread: true }))
  expect(names()).toEqual(['Title of d, unread', 'Title of a', 'Title of c, unread'])
  await user.click(await link('Title of c, unread'))
  act(() => void store.show('c'))
  await waitFor(() => expect(names()).toEqual(['Title of d, unread', 'Title of c']))
  announce(makeRow('d', -1), makeRow('c', 2, { archived: true }))
  expect(screen.getByText('No unread chat.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Show all' }))
  expect(names()).toEqual(['Title of d', 'Title of a', 'Title of b'])
  expect(screen.getByRole('button', { name: 'Show only' })).toHaveFocus()
})

test('a project shows its chats below it, by arrow keys or its folder, and how many want attention', async () => {
  projects = [
    { id: 'p2', name: 'Thesis', bot: null },
    { id: 'p1', name: 'Kitchen', bot: null },
  ]
  chats = [makeRow('a', 0), makeRow('t', 1, { project_id: 'p2', unread: true })]
  api.on('GET /api/chat-list/marks', () => json({ marks: chats.slice(1) }))
  const { unmount } = open()
  const group = await screen.findByRole('list', { name: 'Projects' })
  const names = () =>
    within(group)
      .getAllByRole('link')
      .map((row) => row.getAttribute('aria-label'))
  await waitFor(() => expect(names()).toEqual(['Kitchen', 'Thesis, 1 unread']))
  const user = userEvent.setup()
  for (let stop = 0; stop < 4; stop++) await user.tab()
  await user.keyboard('t{ArrowRight}')
  expect(screen.getByRole('link', { name: /^Thesis/ })).toHaveAttribute('aria-expanded', 'true')
  await waitFor(() => expect(names()).toEqual(['Kitchen', 'Thesis, 1 unread', 'Title of t, unread']))
  await user.keyboard('{ArrowRight}')
  expect(screen.getByRole('link', { name: 'Title of t, unread' })).toHaveFocus()
  announce(makeRow('t', 0))
  expect(screen.getByRole('link', { name: 'Title of t' })).toHaveFocus()
  announce(makeRow('t', 0, { project_id: 'p2' }))
  await user.keyboard('{ArrowLeft}')
  expect(screen.getByRole('link', { name: 'Thesis' })).toHaveFocus()
  await user.keyboard('{ArrowLeft}')
  expect(names()).toEqual(['Kitchen', 'Thesis'])
  await user.click(screen.getByRole('button', { name: 'Show the chats of Kitchen' }))
  expect(await within(group).findByText('No chats yet')).toBeVisible()
  // What is open is kept.
  unmount()
  const { path } = open()
  expect(await screen.findByText('No chats yet')).toBeVisible()
  await user.click(screen.getByRole('link', { name: /^Thesis/ }))
  expect(path()).toBe('/project/p2')
})

test('the first row leads to the inbox and says in how many chats calls wait', async () => {
  chats = [makeRow('a', 0), makeRow('b', 1)]
  const { path, onOpen } = open()
  expect(await link('Inbox')).toBeVisible()
  announce(makeRow('a', 0, { waiting: true }), makeRow('b', 1, { waiting: true }))
  await userEvent.click(await link('Inbox 2 waiting'))
  expect(path()).toBe('/inbox')
  expect(onOpen).toHaveBeenCalledOnce()
  expect(await link('Inbox 2 waiting')).toHaveAttribute('aria-current', 'page')
})
