import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ListedChat } from '@yonder/contract/chat-list'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SelfServiceContext } from '../../data/self-service.ts'
import { dismissToast, toasts } from '../../lib/toasts.ts'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { ToastRegion } from '../../ui/toast/toast-region.tsx'
import { ArchivedChats } from './archived-chats.tsx'
import { DeletedChats } from './deleted-chats.tsx'

const dayMs = 86_400_000
const makeRow = (id: string, daysAgo: number, more: Partial<ListedChat> = {}): ListedChat => ({
  id,
  title: `Title of ${id}`,
  update_time: new Date(Date.now() - daysAgo * dayMs).toISOString(),
  ...more,
})
const deletedRow = (id: string, daysAgo: number) =>
  makeRow(id, 60, { deleted_time: new Date(Date.now() - daysAgo * dayMs).toISOString() })

const [change, purge] = ['PATCH /api/chats', 'POST /api/chats/purge']
let api: ScriptedApi
let chats: ListedChat[]

beforeEach(() => {
  api = new ScriptedApi()
    .on('GET /api/chat-list', ({ query }) => {
      const from = Number(query.get('cursor') ?? 0)
      const end = from + Number(query.get('limit'))
      return json({ chats: chats.slice(from, end), next: end < chats.length ? String(end) : null })
    })
    .on(change, ({ body }) => {
      const { chats: which } = body as { chats: unknown }
      const ids = Array.isArray(which) ? (which as string[]) : chats.map(({ id }) => id)
      return json({ ids })
    })
    .on(purge, ({ body }) => {
      const { chats: which } = body as { chats: readonly string[] | 'all' }
      return json({ purged: which === 'all' ? chats.length : which.length })
    })
})
afterEach(() => {
  for (const { id } of toasts.get()) dismissToast(id)
})

function open(page: 'archived' | 'deleted', selfService = true) {
  renderScreen(
    api,
    <SelfServiceContext value={selfService}>
      {page === 'archived' ? <ArchivedChats /> : <DeletedChats />}
      <ToastRegion />
    </SelfServiceContext>,
    `/${page}`,
  )
  return userEvent.setup()
}
const bodies = (route: string) => api.seen(route).map(({ body }) => body)
const rowOf = async (id: string) => (await screen.findByText(`Title of ${id}`)).closest('li')!
const buttonOf = async (id: string, name: string) => within(await rowOf(id)).getByRole('button', { name })
const gone = (id: string) => waitFor(() => expect(screen.queryByText(`Title of ${id}`)).toBeNull())

test('a deleted chat says when it will be gone, and is restored', async () => {
  chats = [deletedRow('new', 0), deletedRow('old', 27), deletedRow('last', 29)]
  const user = open('deleted')
  expect(await rowOf('new')).toHaveTextContent(/Deleted \d\d:\d\d · gone on \d{4}-\d\d-\d\d/)
  expect(await rowOf('old')).toHaveTextContent('gone in 3 days')
  expect(await rowOf('last')).toHaveTextContent('gone tomorrow')
  expect(within(await rowOf('new')).queryByRole('link')).toBeNull()
  await user.click(await buttonOf('old', 'Restore'))
  await gone('old')
  expect(bodies(change)).toEqual([{ chats: ['old'], change: { deleted: false } }])
  expect(await screen.findByText('Chat restored')).toBeVisible()
  // The focus is at the next one.
  expect(await buttonOf('last', 'Restore')).toHaveFocus()
})

test('chats are deleted for good after a question: one, several, and all, also those that are not loaded', async () => {
  chats = Array.from({ length: 120 }, (_, index) => deletedRow(`chat-${index}`, index / 10))
  const user = open('deleted')
  await user.click(await buttonOf('chat-0', 'Delete now…'))
  const question = screen.getByRole('alertdialog', { name: 'Delete “Title of chat-0” for good?' })
  expect(question).toHaveAccessibleDescription('This action cannot be undone.')
  await user.click(within(question).getByRole('button', { name: 'Cancel' }))
  expect(bodies(purge)).toEqual([])

  await user.click(screen.getByRole('checkbox', { name: 'Select Title of chat-1' }))
  await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}')
  expect(screen.getByText('3 selected')).toBeVisible()
  await user.click(screen.getAllByRole('button', { name: 'Delete now…' })[0]!)
  await user.click(
    within(screen.getByRole('alertdialog', { name: 'Delete 3 chats for good?' })).getByRole('button', {
      name: 'Delete',
    }),
  )
  await gone('chat-2')
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(bodies(purge)).toEqual([{ chats: ['chat-1', 'chat-2', 'chat-3'] }])

  await user.click(screen.getByRole('button', { name: 'Delete all now…' }))
  chats = []
  const all = screen.getByRole('alertdialog', { name: 'Delete all deleted chats for good?' })
  await user.click(within(all).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Nothing was deleted in the last 30 days.')).toBeVisible()
  expect(bodies(purge).at(-1)).toEqual({ chats: 'all' })
})

test('all are selected and restored in one request, whether they are loaded or not', async () => {
  chats = Array.from({ length: 120 }, (_, index) => deletedRow(`chat-${index}`, index / 10))
  const user = open('deleted')
  await user.click(await screen.findByRole('checkbox', { name: 'Select all' }))
  expect(screen.getByText('All selected')).toBeVisible()
  await user.click(screen.getAllByRole('button', { name: 'Restore' })[0]!)
  expect(bodies(change)).toEqual([{ chats: { section: 'deleted', filter: '' }, change: { deleted: false } }])
})

test('the rows are moved through by keys, and only those near the window are drawn', async () => {
  chats = Array.from({ length: 1_000 }, (_, index) => deletedRow(`chat-${index}`, index / 100))
  const user = open('deleted')
  const first = await screen.findByRole('checkbox', { name: 'Select Title of chat-0' })
  first.focus()
  await user.keyboard('{ArrowDown} ')
  expect(screen.getByRole('checkbox', { name: 'Select Title of chat-1' })).toBeChecked()
  await user.tab()
  expect(await buttonOf('chat-1', 'Restore')).toHaveFocus()
  await user.keyboard('{ArrowDown}')
  expect(await buttonOf('chat-2', 'Restore')).toHaveFocus()
  await user.keyboard('{Escape}')
  expect(screen.getByText('Select all')).toBeVisible()
  expect(screen.getAllByRole('listitem').length).toBeLessThan(40)
})

test('nothing is deleted for good where users may not delete, but chats are restored', async () => {
  chats = [deletedRow('a', 1)]
  open('deleted', false)
  expect(await buttonOf('a', 'Restore')).toBeVisible()
  expect(screen.queryByRole('button', { name: /Delete/ })).toBeNull()
})

test('archived chats are opened, brought back and, where it is allowed, deleted', async () => {
  chats = [makeRow('a', 1, { archived: true }), makeRow('b', 2, { archived: true })]
  const user = open('archived')
  expect(await screen.findByRole('link', { name: 'Title of a' })).toHaveAttribute('href', '/chat/a')
  expect(await rowOf('a')).toHaveTextContent(/Last message \d{4}-\d\d-\d\d/)
  await user.click(await buttonOf('a', 'Unarchive'))
  await gone('a')
  await user.click(await buttonOf('b', 'Delete'))
  await gone('b')
  expect(bodies(change)).toEqual([
    { chats: ['a'], change: { archived: false } },
    { chats: ['b'], change: { deleted: true } },
  ])
  expect(await screen.findByText('No archived chats')).toBeVisible()
})

test('a list that cannot be loaded says so, and is loaded again', async () => {
  expectConsole('error', /chat-list/)
  chats = [deletedRow('a', 1)]
  let fails = true
  const load = () => (fails ? failure(503, 'unavailable', 'Down.') : json({ chats, next: null }))
  api.on('GET /api/chat-list', load)
  const user = open('deleted')
  const retry = await screen.findByRole('button', { name: 'Try again' })
  fails = false
  await user.click(retry)
  expect(await rowOf('a')).toBeVisible()
  vi.restoreAllMocks()
})
