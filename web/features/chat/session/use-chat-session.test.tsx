import { act, waitFor } from '@testing-library/react'
import type { LiveEvent } from '@yonder/contract/live'
import { expect, it } from 'vitest'
import { articles, openChat, shortChat } from '../../../testing/chat-scene.tsx'
import { settle } from '../../../testing/scripted-api.ts'

/** Opens a chat, and returns how often the page reads it after an event of the live stream. */
async function countReadsAfter(event: LiveEvent, state?: 'lost' | 'held') {
  const { api } = openChat(shortChat)
  await waitFor(() => expect(articles()).toHaveLength(2))
  const before = api.seen('GET /api/chats/c1').length
  await act(async () => {
    if (state !== undefined) api.client.live.state.set(state)
    api.client.live.emit(event)
    await settle()
  })
  return api.seen('GET /api/chats/c1').length - before
}

it('misses nothing before the live stream begins', async () => {
  expect(await countReadsAfter({ type: 'ready', runs: [] })).toBe(0)
})

it.each(['lost', 'held'] as const)('may have missed events while the live stream was %s', async (state) => {
  expect(await countReadsAfter({ type: 'ready', runs: [] }, state)).toBe(1)
})

it.each([
  [{ type: 'changed', what: 'names' }, 1],
  [{ type: 'changed', what: 'bots' }, 0],
  [{ type: 'chat_changed', chatId: 'c1' }, 1],
  [{ type: 'chat_changed', chatId: 'c2' }, 0],
] as const)('after %o reads the chat %d times', async (event, count) => {
  expect(await countReadsAfter(event)).toBe(count)
})
