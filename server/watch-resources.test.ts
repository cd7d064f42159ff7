import { expect, it, vi } from 'vitest'
import { watchResources, type Usage } from './watch-resources.ts'

it('warns once of what is nearly used up for longer than a moment', () => {
  const warn = vi.fn()
  let used = 95
  let now = 0
  const read = (): readonly Usage[] => [
    { what: 'file descriptors', used, limit: 100, advice: 'Raise the limit.' },
    { what: 'MB', used: 10, limit: 100, advice: 'Give it more.' },
  ]
  const { check, stop } = watchResources(warn, { read, now: () => now })
  check()
  used = 50
  check()
  used = 95
  check()
  expect(warn).not.toHaveBeenCalled()
  check()
  check()
  expect(warn.mock.calls).toEqual([['95 of 100 file descriptors are in use. Raise the limit.']])
  now += 600_000
  check()
  expect(warn).toHaveBeenCalledTimes(2)
  stop()
})

it('measures this process', () => {
  const warn = vi.fn()
  const { check, stop } = watchResources(warn)
  check()
  check()
  expect(warn).not.toHaveBeenCalled()
  stop()
})
