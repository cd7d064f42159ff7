import { Worker } from 'node:worker_threads'
import { afterEach, expect, it, vi } from 'vitest'
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
  vi.restoreAllMocks()
  for (const thread of threads.splice(0)) thread.close()
})

const toJob = (inputSchema: object, values: object) => ({
  definition: JSON.stringify({ inputSchema }),
  text: JSON.stringify(values),
})
const quick = toJob({ type: 'object' }, {})
const endless = toJob({ properties: { text: { pattern: '^(a+)+$' } } }, { text: `${'a'.repeat(60)}!` })

it('runs jobs one after the other, and users take turns', async () => {
  const thread = open(20_000)
  const done: string[] = []
  const run = (user: string, name: string) => thread.run(user, quick).then(() => done.push(name))
  await Promise.all([run('ada', 'a1'), run('ada', 'a2'), run('ada', 'a3'), run('bob', 'b1')])
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('ends a job that takes too long, and runs the next one in a new thread', async () => {
  const thread = open(2_000)
  const [slow, next] = await Promise.allSettled([thread.run('eve', endless), thread.run('ada', quick)])
  expect(slow.status).toBe('rejected')
  expect(next).toEqual({ status: 'fulfilled', value: [] })
})

it('rejects all jobs when it is closed, and starts no other thread', async () => {
  const thread = open(20_000)
  const jobs = Promise.allSettled([thread.run('eve', endless), thread.run('ada', quick)])
  thread.close()
  expect((await jobs).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(thread.run('ada', quick)).rejects.toThrow('closed')
})

it('does not run a job that was aborted while it waited', async () => {
  const thread = open(2_000)
  const stop = new AbortController()
  const post = vi.spyOn(Worker.prototype, 'postMessage')
  const slow = thread.run('eve', endless)
  const waiting = thread.run('eve', quick, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  await expect(slow).rejects.toThrow()
  expect(await thread.run('ada', quick)).toEqual([])
  expect(post.mock.calls.map(([input]) => input)).toEqual([endless, quick])
})
