import { Worker } from 'node:worker_threads'
import type { ChatFinder, FoundChats } from './chat-finder.ts'
import type { SearchAnswer, SearchQuestion } from './search-worker.ts'

interface Waiting {
  resolve(found: FoundChats): void
  reject(error: Error): void
}

/** Searches in a worker thread, which is started by the first search and again after it broke. */
export function openWorkerSearch(file: string): { readonly find: ChatFinder; close(): Promise<void> } {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let asked = 0

  function fail(broken: Worker, error: Error): void {
    if (worker === broken) worker = undefined
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function start(): Worker {
    const started = new Worker(...workerSource(file))
    started.on('message', (answer: SearchAnswer) => {
      const asker = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('found' in answer) asker?.resolve(answer.found)
      else asker?.reject(new Error(answer.error))
    })
    started.on('error', (error) => fail(started, error))
    started.on('exit', () => fail(started, new Error('the search worker ended')))
    started.unref()
    return started
  }

  return {
    find: (request) =>
      new Promise((resolve, reject) => {
        worker ??= start()
        const question: SearchQuestion = { id: asked++, request }
        waiting.set(question.id, { resolve, reject })
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(question)
      }),
    async close() {
      await worker?.terminate()
    },
  }
}

/** Beside this file: as TypeScript in development, as a bundle of its own in the built product. */
function workerSource(file: string): ConstructorParameters<typeof Worker> {
  const options = { workerData: { file } }
  if (!import.meta.url.endsWith('.ts')) return [new URL('./search-worker.js', import.meta.url), options]
  // A thread does not inherit the loader of its process on Node 20.
  const source = new URL('./search-worker.ts', import.meta.url).href
  const start = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import('${source}') })`
  return [start, { ...options, eval: true }]
}
