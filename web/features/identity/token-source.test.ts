import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSessionStore, type Session } from './session-store.ts'
import { createTokenSource, refreshSession } from './token-source.ts'

const store = createSessionStore('https://id.example', 'yonder')
const hourMs = 3_600_000

const sessionOf = (sub: string, lifetimeMs: number): Session => ({
  accessToken: `token of ${sub}`,
  expiresAt: Date.now() + lifetimeMs,
  refreshToken: `refresh of ${sub}`,
  idToken: 'id',
  user: { sub, name: sub, email: null, picture: null },
})

/** Grants the lock when the test calls it. */
let grant: () => void

beforeEach(() => {
  const granted = new Promise<void>((resolve) => {
    grant = resolve
  })
  const request = async (_name: string, _options: LockOptions, run: () => Promise<void>) => {
    await granted
    await run()
  }
  vi.stubGlobal('navigator', { locks: { request } })
})

afterEach(() => {
  vi.unstubAllGlobals()
  store.clear()
})

const openNothing = () => Promise.reject(new Error('No request to the provider is expected.'))

it('returns the token of the user it is requested for', async () => {
  store.write(sessionOf('ada', hourMs))
  const getToken = createTokenSource(store, openNothing)
  expect(await getToken('ada')).toBe('token of ada')
  expect(await getToken()).toBe('token of ada')
})

it('refuses a request of a user when another user has signed in', async () => {
  store.write(sessionOf('eve', hourMs))
  const getToken = createTokenSource(store, openNothing)
  await expect(getToken('ada')).rejects.toThrow('Another user has signed in.')
})

it('ends a session that cannot be refreshed, but not that of a user who has signed in meanwhile', async () => {
  const ended: Session = { ...sessionOf('ada', 0), refreshToken: null }
  const expired = 'The access token has expired and cannot be refreshed.'
  const next = sessionOf('eve', hourMs)
  store.write(next)
  await expect(refreshSession(store, openNothing, ended)).rejects.toThrow(expired)
  expect(store.read()).toEqual(next)
  store.write(ended)
  await expect(refreshSession(store, openNothing, ended)).rejects.toThrow(expired)
  expect(store.read()).toBeNull()
})

it('refuses a request that was waiting for a token when another user signed in', async () => {
  store.write(sessionOf('ada', 0))
  const getToken = createTokenSource(store, openNothing)
  const waiting = getToken('ada')
  store.write(sessionOf('eve', hourMs))
  const ofEve = getToken('eve')
  grant()
  await expect(waiting).rejects.toThrow('Another user has signed in.')
  expect(await ofEve).toBe('token of eve')
})
