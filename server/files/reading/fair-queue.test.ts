import { expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

/** Starts works that end when they are told to, and lists them in the order in which they began. */
function open(maxRunning: number) {
  const queue = new FairQueue(maxRunning)
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const never = new AbortController().signal
  return {
    began,
    add: (userId: string, name: string, signal = never) =>
      queue.run(userId, signal, async () => {
        began.push(name)
        const { promise, resolve } = Promise.withResolvers<void>()
        ends.set(name, resolve)
        await promise
        return name
      }),
    async end(name: string, work: Promise<unknown>) {
      ends.get(name)?.()
      await work
      await settle()
    },
  }
}
const settle = () => new Promise(setImmediate)

it("lets a user's second work wait for the first of every other user", async () => {
  const { add, end, began } = open(1)
  const a1 = add('ada', 'a1')
  const a2 = add('ada', 'a2')
  const a3 = add('ada', 'a3')
  const b1 = add('bob', 'b1')
  const c1 = add('cleo', 'c1')
  await settle()
  await end('a1', a1)
  await end('b1', b1)
  await end('c1', c1)
  await end('a2', a2)
  await end('a3', a3)
  expect(began).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
})

it('runs one work of a user at a time, and as many as it may of all users', async () => {
  const { add, end, began } = open(2)
  const a1 = add('ada', 'a1')
  const a2 = add('ada', 'a2')
  const b1 = add('bob', 'b1')
  const c1 = add('cleo', 'c1')
  await settle()
  expect(began).toEqual(['a1', 'b1'])
  await end('b1', b1)
  await settle()
  expect(began).toEqual(['a1', 'b1', 'c1'])
  await end('a1', a1)
  await settle()
  expect(began).toEqual(['a1', 'b1', 'c1', 'a2'])
  await Promise.all([end('a2', a2), end('c1', c1)])
})

it('does not begin what was aborted while it waited, and goes on after a failure', async () => {
  const queue = new FairQueue(1)
  const stop = new AbortController()
  const failing = Promise.withResolvers<void>()
  const first = queue.run('ada', stop.signal, () => failing.promise)
  const aborted = queue.run('bob', stop.signal, () => Promise.resolve('begun'))
  const last = queue.run('cleo', new AbortController().signal, () => Promise.resolve('done'))
  stop.abort(new Error('stopped'))
  await expect(aborted).rejects.toThrow('stopped')
  failing.reject(new Error('failed'))
  await expect(first).rejects.toThrow('failed')
  expect(await last).toBe('done')
})
