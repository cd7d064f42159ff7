import { describe, expect, it } from 'vitest'
import { AppError } from '../../lib/app-error.ts'
import { Backoff } from './backoff.ts'

describe('Backoff', () => {
  it('pauses longer after every failure, up to a minute, and not after a reset', () => {
    let now = 0
    const backoff = new Backoff(() => now)
    const error = new AppError(
      'upstream_unreachable',
      'The server cannot be reached. Check its address or try again later.',
    )
    const pauses: number[] = []
    for (let failure = 0; failure < 10; failure++) {
      backoff.recordFailure('a', error)
      const from = now
      expect(() => backoff.throwIfPaused('a')).toThrow(error)
      while (now - from < 100_000) {
        now += 50
        try {
          backoff.throwIfPaused('a')
          break
        } catch {
          // The pause lasts.
        }
      }
      pauses.push(now - from)
    }
    expect(pauses[0]).toBeLessThanOrEqual(1_300)
    expect(pauses[3]).toBeGreaterThanOrEqual(6_000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(75_050)
    backoff.recordFailure('a', error)
    expect(() => backoff.throwIfPaused('b')).not.toThrow()
    backoff.reset('a')
    expect(() => backoff.throwIfPaused('a')).not.toThrow()
  })
})
