import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { collectGarbage } from '../testing/collect-garbage.ts'
import { linkSignal, withTimeout } from './abort.ts'

describe('linkSignal', () => {
  it('aborts at its time limit even after garbage collection', async () => {
    const linked = linkSignal(new AbortController().signal, 20)
    const aborted = once(linked.signal, 'abort')
    await collectGarbage()
    await aborted
    expect(linked.timedOut).toBe(true)
    expect(linked.signal.reason).toMatchObject({ name: 'TimeoutError' })
  })

  it('aborts with the outer signal and its reason', () => {
    const outer = new AbortController()
    const linked = linkSignal(outer.signal, null)
    outer.abort('stopped')
    expect(linked.signal.reason).toBe('stopped')
    expect(linked.timedOut).toBe(false)
  })

  it('does not abort with the outer signal after its release', () => {
    const outer = new AbortController()
    const linked = linkSignal(outer.signal, null)
    linked.release()
    outer.abort()
    expect(linked.signal.aborted).toBe(false)
  })
})

describe('withTimeout', () => {
  it('returns what the work returns, and no longer listens to the outer signal', async () => {
    const outer = new AbortController()
    let inner = outer.signal
    const result = await withTimeout(outer.signal, 60_000, (signal) => {
      inner = signal
      return Promise.resolve('done')
    })
    outer.abort()
    expect(result).toBe('done')
    expect(inner.aborted).toBe(false)
  })
})
