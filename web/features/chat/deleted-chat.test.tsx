import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ListedSummary } from '@yonder/contract/chat-list'
import { expect, test, vi } from 'vitest'
import { ChatListContext, ChatListStore } from '../../data/chat-list.ts'
import { inMessages, shortChat } from '../../testing/chat-scene.tsx'
import { expectConsole } from '../../testing/expect-console.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { owlAndFox } from '../../testing/wire-objects.ts'
import { ChatView } from './chat-view.tsx'

const row: ListedSummary = { id: 'c1', title: 'Owls', update_time: shortChat.update_time, messages: [] }
const deletedRow = { ...row, deleted_time: shortChat.update_time }
const [read, change] = ['GET /api/chats/c1', 'PATCH /api/chats']

async function open() {
  vi.stubGlobal('scrollTo', () => undefined)
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json(owlAndFox))
    .on('GET /api/chat-list/marks', () => json({ marks: [] }))
    .on(read, () => json(shortChat))
    .on(change, () => json({ ids: ['c1'], chats: [row] }))
  const store = new ChatListStore(api.client)
  store.follow()
  const view = renderScreen(
    api,
    <ChatListContext value={store}>
      <ChatView chatId="c1" />
    </ChatListContext>,
    '/chat/c1',
  )
  await screen.findByText('text of u1', inMessages)
  return { api, view, user: userEvent.setup() }
}

test('a chat that another tab deletes is replaced by the way back, and returns when it is restored there or here', async () => {
  const { api, view, user } = await open()
  const list = (chat: ListedSummary) =>
    act(() => api.client.live.emit({ type: 'chats_listed', chats: [chat], gone: [] }))
  list(deletedRow)
  expect(await screen.findByRole('heading', { name: 'This chat was deleted' })).toBeVisible()
  expect(screen.queryByText('text of u1', inMessages)).toBeNull()
  expect(view.path()).toBe('/chat/c1')
  list(row)
  expect(await screen.findByText('text of u1', inMessages)).toBeVisible()
  list(deletedRow)
  await user.click(await screen.findByRole('button', { name: 'Restore' }))
  expect(await screen.findByText('text of u1', inMessages)).toBeVisible()
  expect(api.seen(change).map(({ body }) => body)).toEqual([{ chats: ['c1'], change: { deleted: false } }])
})

test('a deleted chat that is opened by its address can be restored', async () => {
  expectConsole('error', /404/)
  vi.stubGlobal('scrollTo', () => undefined)
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json(owlAndFox))
    .on(read, () => failure(404, 'chat_deleted', 'This chat was deleted.'))
    .on(change, () => json({ ids: ['c1'], chats: [row] }))
  const view = renderScreen(api, <ChatView chatId="c1" />, '/chat/c1')
  const restore = await screen.findByRole('button', { name: 'Restore' })
  expect(view.path()).toBe('/chat/c1')
  api.on(read, () => json(shortChat))
  await userEvent.click(restore)
  expect(await screen.findByText('text of u1', inMessages)).toBeVisible()
})

test('a chat that was deleted with many others or for good is noticed too, and is not asked for again and again', async () => {
  expectConsole('error', /404|restored/)
  const { api, user } = await open()
  api.on(read, () => failure(404, 'chat_deleted', 'This chat was deleted.'))
  act(() => api.client.live.emit({ type: 'changed', what: 'chats' }))
  expect(await screen.findByRole('heading', { name: 'This chat was deleted' })).toBeVisible()
  const reads = api.seen(read).length
  api.on(change, () => failure(404, 'not_found', 'There is nothing to restore.'))
  await user.click(screen.getByRole('button', { name: 'Restore' }))
  expect(await screen.findByRole('heading', { name: 'This chat was deleted for good' })).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Restore' })).toBeNull()
  expect(screen.getByRole('link', { name: 'New chat' })).toHaveAttribute('href', '/')
  expect(api.seen(read)).toHaveLength(reads)

  // The server may know better what has become of it.
  api.on(read, () => json(shortChat))
  act(() => api.client.live.emit({ type: 'chats_listed', chats: [row], gone: [] }))
  await waitFor(() => expect(screen.getByText('text of u1', inMessages)).toBeVisible())
})
