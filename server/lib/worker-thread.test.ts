import { afterEach, expect, it } from 'vitest'
import { WorkerThread } from './worker-thread.ts'

/** The worker of `check-arguments.ts`, as an example of all workers. */
const moduleUrl = new URL('../connectors/calls/check-arguments.ts', import.meta.url).href
const threads: WorkerThread<unknown, unknown>[] = []
const open = (maxJobMs: number) => {
  const thread = new WorkerThread<unknown, unknown>({
    moduleUrl,
    name: 'arguments-worker',
    maxJobMs,
    maxHeapMb: 128,
  })
  threads.push(thread)
  return thread
}
afterEach(() => {
  for (const thread of threads.splice(0)) thread.close()
})

const quick = { schema: { type: 'object' }, arguments: {} }
const endless = {
  schema: { properties: { text: { pattern: '^(a+)+$' } } },
  arguments: { text: `${'a'.repeat(60)}!` },
}

it('runs jobs one after the other, and users take turns', async () => {
  const thread = open(20_000)
  const done: string[] = []
  const run = (user: string, name: string) => thread.run(user, quick).then(() => done.push(name))
  await Promise.all([run('ada', 'a1'), run('ada', 'a2'), run('ada', 'a3'), run('bob', 'b1')])
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('ends a job that takes too long, and runs the next one in a new thread (§16.20)', async () => {
  const thread = open(2_000)
  const [slow, next] = await Promise.allSettled([thread.run('eve', endless), thread.run('ada', quick)])
  expect(slow.status).toBe('rejected')
  expect(next).toEqual({ status: 'fulfilled', value: [] })
})
