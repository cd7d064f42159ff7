import { expect, it, vi } from 'vitest'
import { createStore } from '../store.ts'
import { type Connection, type ConnectionState, onOutageEnd } from './connection.ts'

it.each<[string, readonly ConnectionState[], number]>([
  ['a lost request after which the server responds', ['checking', 'online'], 0],
  ['an outage', ['checking', 'unreachable', 'online'], 1],
  ['a network that goes and returns', ['offline', 'checking', 'online'], 1],
  ['two outages', ['unreachable', 'online', 'checking', 'online', 'unreachable', 'online'], 2],
])('reports the end of an outage only when one was shown: %s', (_, states, count) => {
  const state = createStore<ConnectionState>('online')
  const connection: Connection = {
    get: state.get,
    subscribe: state.subscribe,
    check: () => undefined,
    countOutages: () => 0,
    lostAt: () => undefined,
  }
  const listener = vi.fn()
  const stop = onOutageEnd(connection, listener)
  for (const next of states) state.set(next)
  expect(listener).toHaveBeenCalledTimes(count)
  stop()
  state.set('unreachable')
  state.set('online')
  expect(listener).toHaveBeenCalledTimes(count)
})
