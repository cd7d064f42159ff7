import { expect, it } from 'vitest'
import { createBoundedRunner } from './bounded-runner.ts'

it('runs two calls at once, lets three wait, refuses the sixth, and has room again after one ended', async () => {
  const run = createBoundedRunner({ maxConcurrent: 2, maxWaiting: 3, refusal: () => new Error('full') })
  const started: number[] = []
  const ends: ((error?: Error) => void)[] = []
  const start = (index: number) =>
    run(() => {
      started.push(index)
      return new Promise<void>((resolve, reject) => {
        ends[index] = (error) => (error === undefined ? resolve() : reject(error))
      })
    })
  const calls = [0, 1, 2, 3, 4].map(start)
  await expect(start(5)).rejects.toThrow('full')
  expect(started).toEqual([0, 1])

  ends[0]?.(new Error('failed'))
  await expect(calls[0]).rejects.toThrow('failed')
  calls.push(start(5))
  for (const index of [1, 2, 3, 4, 5]) {
    ends[index]?.()
    await calls[index]
  }
  expect(started).toEqual([0, 1, 2, 3, 4, 5])
})
