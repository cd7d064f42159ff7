import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ListedChat } from '@yonder/contract/chat-list'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChatListContext, ChatListStore } from '../../data/chat-list.ts'
import { SelfServiceContext } from '../../data/self-service.ts'
import { dismissToast, toasts } from '../../lib/toasts.ts'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import { ChatListPanel } from './chat-list-panel.tsx'

const makeRow = (id: string, hour: number, more: Partial<ListedChat> = {}): ListedChat => ({
  id,
  title: `Title of ${id}`,
  update_time: new Date(Date.UTC(2026, 0, 5, hour)).toISOString(),
  ...more,
})

const route = 'PATCH /api/chats'
let api: ScriptedApi
/** What the server has, and changes. */
let chats: ListedChat[]

beforeEach(() => {
  chats = [makeRow('a', 9), makeRow('b', 8), makeRow('c', 7), makeRow('d', 6)]
  api = new ScriptedApi()
    .on('GET /api/chat-list', ({ query }) =>
      json({
        chats: query.get('section') === 'recent' ? chats.filter(({ archived }) => !archived) : [],
        next: null,
      }),
    )
    .on('GET /api/chat-list/marks', () => json({ marks: [] }))
    .on('GET /api/projects', () => json([{ id: 'p', name: 'Thesis' }]))
    .on(route, ({ body }) => {
      const { chats: which, change: given } = body as {
        chats: unknown
        change: Partial<ListedChat> & { deleted?: boolean }
      }
      const { deleted, ...change } = given
      if (deleted !== undefined) change.deleted_time = deleted ? '2026-01-06T00:00:00.000Z' : undefined
      const ids = Array.isArray(which) ? (which as string[]) : chats.map(({ id }) => id)
      chats = chats.map((row) => (ids.includes(row.id) ? { ...row, ...change } : row))
      return json({ ids, chats: chats.filter(({ id }) => ids.includes(id)) })
    })
})

afterEach(() => {
  for (const { id } of toasts.get()) dismissToast(id)
})

async function open(selfService = false) {
  const store = new ChatListStore(api.client)
  store.follow()
  const view = renderScreen(
    api,
    <SelfServiceContext value={selfService}>
      <ChatListContext value={store}>
        <ChatListPanel only={undefined} onOnly={() => undefined} />
        <ToastRegion />
      </ChatListContext>
    </SelfServiceContext>,
    '/chat/a',
  )
  await link('a')
  const user = userEvent.setup()
  act(() => row('a').focus())
  return { ...view, user }
}

const row = (id: string) => screen.getByRole('link', { name: `Title of ${id}` })
const link = (id: string) => screen.findByRole('link', { name: `Title of ${id}` })
const gone = (id: string) =>
  waitFor(() => expect(screen.queryByRole('link', { name: `Title of ${id}` })).toBeNull())
const bodies = () => api.seen(route).map(({ body }) => body)

test('a chat is renamed in its place by F2 and Enter; Escape keeps the former title', async () => {
  const { user } = await open()
  await user.keyboard('{F2}')
  expect(screen.getByRole('textbox', { name: 'Title' })).toHaveFocus()
  await user.keyboard('Bread{Escape}')
  expect(bodies()).toEqual([])
  expect(row('a')).toHaveFocus()
  await user.keyboard('{F2}Bread{Enter}')
  expect(screen.getByRole('link', { name: 'Bread' })).toHaveFocus()
  expect(bodies()).toEqual([{ chats: ['a'], change: { title: 'Bread' } }])
})

test('a refused change is taken back, and says why', async () => {
  expectConsole('error', /was not renamed/)
  api.on(route, () => failure(400, 'invalid_request', 'change.title: must have at most 200 characters'))
  const { user } = await open()
  await user.keyboard('{F2}Bread{Enter}')
  expect(await screen.findByText(/^The chat was not renamed: /)).toBeVisible()
  expect(await link('a')).toBeVisible()
})

test('the menu of a chat opens by its button, the right button and a key, and is used by keys', async () => {
  const { user } = await open()
  await user.click(screen.getByRole('button', { name: 'Actions for Title of b' }))
  const items = () => screen.getAllByRole('menuitem').map((item) => item.textContent)
  expect(items()).toEqual([
    'RenameF2',
    'Pin',
    'Move to project…',
    'Mark as unread',
    'Select',
    'Share',
    'Archive',
  ])
  expect(screen.getByRole('menuitem', { name: /Rename/ })).toHaveFocus()
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('menu')).toBeNull()
  expect(row('b')).toHaveFocus()
  fireEvent.contextMenu(row('c'))
  await user.keyboard('{ArrowDown}{Enter}')
  expect(bodies()).toEqual([{ chats: ['c'], change: { pinned: true } }])
  expect(row('c')).toHaveFocus()
  fireEvent.contextMenu(row('c'))
  expect(items()).toContain('Unpin')
})

test('several chats are selected by keys and by clicks, and archived in one request, which can be undone', async () => {
  const { user } = await open()
  await user.keyboard(' {Shift>}{ArrowDown}{/Shift}')
  const boxes = () => screen.getAllByRole('button', { pressed: true }).map((box) => box.textContent)
  expect(boxes()).toEqual(['Title of a', 'Title of b'])
  const bar = screen.getByRole('toolbar', { name: 'Selected chats' })
  expect(within(bar).getByText('2 selected')).toBeVisible()
  await user.keyboard('{Shift>}')
  await user.click(screen.getByRole('button', { pressed: false, name: 'Title of d' }))
  await user.keyboard('{/Shift}')
  expect(boxes()).toEqual(['Title of a', 'Title of b', 'Title of c', 'Title of d'])
  await user.click(screen.getByRole('button', { pressed: true, name: 'Title of b' }))
  await user.click(within(bar).getByRole('button', { name: 'Archive' }))
  await gone('a')
  expect(screen.getAllByRole('link', { name: /^Title/ })).toEqual([row('b')])
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await link('a')
  expect(bodies()).toEqual([
    { chats: ['a', 'c', 'd'], change: { archived: true } },
    { chats: ['a', 'c', 'd'], change: { archived: false } },
  ])
})

test('all that match are selected also where they are not loaded; Escape ends a selection', async () => {
  const { user } = await open()
  await user.keyboard('{Control>}a{/Control}')
  expect(screen.getByText('All that match')).toBeVisible()
  expect(screen.getAllByRole('button', { pressed: true })).toHaveLength(4)
  await user.keyboard('{Escape}')
  expect(row('a')).toHaveFocus()
  await user.keyboard('{Control>}a{/Control}')
  await user.click(screen.getByRole('button', { name: 'Mark as unread' }))
  expect(bodies()).toEqual([{ chats: { section: 'all', filter: '' }, change: { unread: true } }])
})

test('a chat is moved to a project by keys', async () => {
  const { user } = await open()
  fireEvent.contextMenu(row('a'))
  await user.keyboard('{ArrowDown}{ArrowDown}{Enter}')
  const dialog = await screen.findByRole('dialog', { name: 'Move to project' })
  await user.click(await within(dialog).findByRole('button', { name: 'Thesis' }))
  expect(bodies()).toEqual([{ chats: ['a'], change: { project_id: 'p' } }])
})

test('a chat is moved to a project that is created for it', async () => {
  api
    .on('GET /api/bots', () => json([]))
    .on('POST /api/project', () => json({ id: 'n', name: 'New', bot: null }))
  const { user } = await open()
  fireEvent.contextMenu(row('a'))
  await user.keyboard('{ArrowDown}{ArrowDown}{Enter}')
  await user.click(await screen.findByRole('button', { name: 'New project…' }))
  await user.type(screen.getByLabelText('Name *'), 'New{Enter}')
  expect(await screen.findByText('Project "New" created')).toBeVisible()
  expect(bodies()).toEqual([{ chats: ['a'], change: { project_id: 'n' } }])
})

test('deleting is offered only where users may delete, and is undone by Ctrl Z (§1.9)', async () => {
  const first = await open()
  await first.user.keyboard('{Delete}')
  expect(bodies()).toEqual([])
  first.unmount()
  const { user } = await open(true)
  await user.keyboard('{Delete}')
  await gone('a')
  expect(await screen.findByText('Chat deleted')).toBeVisible()
  await user.keyboard('{Control>}z{/Control}')
  await link('a')
  expect(bodies()).toEqual([
    { chats: ['a'], change: { deleted: true } },
    { chats: ['a'], change: { deleted: false } },
  ])
})
