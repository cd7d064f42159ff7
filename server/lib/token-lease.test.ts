import { describe, expect, it } from 'vitest'
import { TokenLeases, type RefreshSteps } from './token-lease.ts'

const closing = new AbortController().signal

/** Tokens in a store that two nodes share. */
function openStore() {
  const store = { tokens: 'old', reservedUntil: 0, refreshes: 0, releases: 0 }
  const lease = (refresh: () => Promise<string>): RefreshSteps<string> => ({
    reserve(leaseMs) {
      if (store.tokens !== 'old' || store.reservedUntil > Date.now()) return Promise.resolve(undefined)
      store.reservedUntil = Date.now() + leaseMs
      return Promise.resolve(store.reservedUntil)
    },
    async refresh() {
      store.refreshes++
      store.tokens = await refresh()
      return store.tokens
    },
    release(reservedUntil) {
      store.releases++
      if (store.reservedUntil === reservedUntil) store.reservedUntil = 0
      return Promise.resolve()
    },
    findResult: () => Promise.resolve(store.tokens === 'old' ? undefined : store.tokens),
    onTimeout: () => 'none',
  })
  return { store, lease }
}

describe('TokenLeases', () => {
  it('refreshes once for all requests of one node', async () => {
    const { store, lease } = openStore()
    const leases = new TokenLeases<string>({ now: Date.now, closing })
    const refresh = () => Promise.resolve('new')
    const results = await Promise.all([
      leases.refresh('a', lease(refresh)),
      leases.refresh('a', lease(refresh)),
    ])
    expect(results).toEqual(['new', 'new'])
    expect(store).toMatchObject({ refreshes: 1, releases: 1 })
  })

  it('waits for the node that refreshes, and returns what it stored', async () => {
    const { store, lease } = openStore()
    let finish = (_tokens: string): void => undefined
    const answer = new Promise<string>((resolve) => (finish = resolve))
    const first = new TokenLeases<string>({ now: Date.now, closing })
    const second = new TokenLeases<string>({ now: Date.now, closing })
    const refreshing = first.refresh(
      'a',
      lease(() => answer),
    )
    const waiting = second.refresh(
      'a',
      lease(() => Promise.resolve('never')),
    )
    finish('new')
    expect(await Promise.all([refreshing, waiting])).toEqual(['new', 'new'])
    expect(store.refreshes).toBe(1)
  })

  it('ends the reservation after a failure, and lets the next request try', async () => {
    const { store, lease } = openStore()
    const leases = new TokenLeases<string>({ now: Date.now, closing })
    const failing = leases.refresh(
      'a',
      lease(() => Promise.reject(new Error('refused'))),
    )
    await expect(failing).rejects.toThrow('refused')
    expect(
      await leases.refresh(
        'a',
        lease(() => Promise.resolve('new')),
      ),
    ).toBe('new')
    expect(store).toMatchObject({ refreshes: 2, releases: 2 })
  })

  it('refreshes when the node that it waits for has died, as soon as its reservation has run out', async () => {
    const { store, lease } = openStore()
    store.reservedUntil = Infinity
    const leases = new TokenLeases<string>({ now: Date.now, closing })
    const tokens = lease(() => Promise.resolve('new'))
    const refreshed = await leases.refresh('a', {
      ...tokens,
      findResult() {
        store.reservedUntil = 0
        return tokens.findResult()
      },
    })
    expect(refreshed).toBe('new')
    expect(store).toMatchObject({ refreshes: 1, releases: 1 })
  })

  it('stops waiting for a node that does not finish', async () => {
    const { store, lease } = openStore()
    let now = 0
    store.reservedUntil = Infinity
    const leases = new TokenLeases<string>({ now: () => (now += 20_000), closing })
    expect(
      await leases.refresh(
        'a',
        lease(() => Promise.resolve('never')),
      ),
    ).toBe('none')
    expect(store.refreshes).toBe(0)
  })

  it('stops waiting when the process shuts down', async () => {
    const { store, lease } = openStore()
    store.reservedUntil = Infinity
    const leases = new TokenLeases<string>({ now: Date.now, closing: AbortSignal.abort() })
    await expect(
      leases.refresh(
        'a',
        lease(() => Promise.resolve('never')),
      ),
    ).rejects.toThrow()
  })
})
