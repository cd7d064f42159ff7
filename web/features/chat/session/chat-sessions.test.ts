import { expect, it, vi } from 'vitest'
import { createApiClient } from '../../../lib/api/api-client.ts'
import { ChatSession } from './chat-session.ts'
import { findChatSessions } from './chat-sessions.ts'

function open() {
  const api = createApiClient({ getAccessToken: async () => 'token', onUnauthorized: () => undefined })
  const sessions = findChatSessions(api)
  const session = sessions.getOrCreate('c1', (isLive) => new ChatSession('c1', api, isLive))
  const receiveReady = vi.spyOn(session, 'receiveLiveReady')
  const receiveChange = vi.spyOn(session, 'receiveLiveChange')
  sessions.setLiveState('opening')
  return { sessions, receiveReady, receiveChange }
}

it('misses nothing before the first live updates', () => {
  const { sessions, receiveReady } = open()
  sessions.receive({ type: 'ready', runs: [] })
  expect(receiveReady).toHaveBeenCalledExactlyOnceWith(undefined, false)
})

it.each(['lost', 'held', 'unavailable'] as const)(
  'may have missed live updates while they were %s',
  (state) => {
    const { sessions, receiveReady } = open()
    sessions.setLiveState(state)
    sessions.receive({ type: 'ready', runs: [] })
    expect(receiveReady).toHaveBeenCalledExactlyOnceWith(undefined, true)
  },
)

it('reads every chat again when a bot or a connector was renamed', () => {
  const { sessions, receiveChange } = open()
  sessions.receive({ type: 'changed', what: 'bots' })
  expect(receiveChange).not.toHaveBeenCalled()
  sessions.receive({ type: 'changed', what: 'names' })
  expect(receiveChange).toHaveBeenCalledOnce()
})
