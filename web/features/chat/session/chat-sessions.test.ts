import { expect, it, vi } from 'vitest'
import { createApiClient } from '../../../lib/api/api-client.ts'
import { ChatSession } from './chat-session.ts'
import { findChatSessions } from './chat-sessions.ts'

function open() {
  const api = createApiClient({ getAccessToken: async () => 'token', onUnauthorized: () => undefined })
  const sessions = findChatSessions(api)
  const session = sessions.getOrCreate('c1', () => new ChatSession('c1', api))
  return { sessions, receive: vi.spyOn(session, 'receive') }
}

it('misses nothing before the live stream begins', () => {
  const { sessions, receive } = open()
  sessions.receive({ type: 'ready', runs: [] })
  expect(receive).toHaveBeenCalledExactlyOnceWith({ type: 'ready', run: undefined, mayHaveMissed: false })
})

it.each(['lost', 'held'] as const)('may have missed events while the live stream was %s', (state) => {
  const { sessions, receive } = open()
  sessions.setStreamState(state)
  sessions.receive({ type: 'ready', runs: [] })
  expect(receive).toHaveBeenCalledExactlyOnceWith({ type: 'ready', run: undefined, mayHaveMissed: true })
})

it('reads every chat again when a bot or a connector was renamed', () => {
  const { sessions, receive } = open()
  sessions.receive({ type: 'changed', what: 'bots' })
  expect(receive).not.toHaveBeenCalled()
  sessions.receive({ type: 'changed', what: 'names' })
  expect(receive).toHaveBeenCalledExactlyOnceWith({ type: 'changed' })
})
