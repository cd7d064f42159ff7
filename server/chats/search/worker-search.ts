import { Worker } from 'node:worker_threads'
import { workerSource } from '../../lib/worker-source.ts'
import type { ChatFinder, FoundChats } from './chat-finder.ts'
import type { WorkerRequest, WorkerResponse } from './search-worker.ts'

interface PendingSearch {
  resolve(found: FoundChats): void
  reject(error: Error): void
}

/** Searches in a worker thread. The first search starts it, and the first search after a failure restarts it. */
export function openWorkerSearch(file: string): { readonly find: ChatFinder; close(): Promise<void> } {
  const pending = new Map<number, PendingSearch>()
  let worker: Worker | undefined
  let nextId = 0

  function fail(failed: Worker, error: Error): void {
    if (worker === failed) worker = undefined
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }

  function start(): Worker {
    const started = new Worker(...workerSource(import.meta.url, 'search-worker', { workerData: { file } }))
    started.on('message', (response: WorkerResponse) => {
      const search = pending.get(response.id)
      pending.delete(response.id)
      if ('found' in response) search?.resolve(response.found)
      else search?.reject(new Error(response.error))
    })
    started.on('error', (error) => fail(started, error))
    started.on('exit', () => fail(started, new Error('the search worker exited')))
    started.unref()
    return started
  }

  return {
    find: (request) =>
      new Promise((resolve, reject) => {
        worker ??= start()
        const message: WorkerRequest = { id: nextId++, request }
        pending.set(message.id, { resolve, reject })
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(message)
      }),
    async close() {
      await worker?.terminate()
    },
  }
}
