import { expect, it, vi } from 'vitest'
import { createSessionStore, type Session } from './session-store.ts'

const session: Session = {
  accessToken: 'access',
  expiresAt: 1_000,
  refreshToken: 'refresh',
  idToken: 'id',
  user: { sub: 'user-1', name: 'Ada', email: null, picture: null },
}

it('keeps one entry per issuer and client in local storage (§3.26)', () => {
  const store = createSessionStore('https://id.example', 'web')
  store.write(session)
  expect(store.read()).toEqual(session)
  expect(Object.keys(localStorage)).toEqual([store.key])
  expect(createSessionStore('https://other.example', 'web').read()).toBeNull()
  expect(createSessionStore('https://id.example', 'app').read()).toBeNull()
  store.clear()
  expect(localStorage).toHaveLength(0)
})

it('treats a broken entry as signed out', () => {
  const store = createSessionStore('https://id.example', 'web')
  localStorage.setItem(store.key, '{')
  expect(store.read()).toBeNull()
})

it('is notified of changes to its own entry only, until it is stopped', () => {
  const store = createSessionStore('https://id.example', 'web')
  const onChange = vi.fn<() => void>()
  const stop = store.watch(onChange)
  dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
  expect(onChange).not.toHaveBeenCalled()
  dispatchEvent(new StorageEvent('storage', { key: store.key }))
  dispatchEvent(new StorageEvent('storage', { key: null }))
  expect(onChange).toHaveBeenCalledTimes(2)
  stop()
  dispatchEvent(new StorageEvent('storage', { key: store.key }))
  expect(onChange).toHaveBeenCalledTimes(2)
})

it('waits for the next change, for a limited time', async () => {
  const store = createSessionStore('https://id.example', 'web')
  const changed = store.nextChange(60_000)
  dispatchEvent(new StorageEvent('storage', { key: store.key }))
  await changed
  await store.nextChange(1)
})
