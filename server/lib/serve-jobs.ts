import { parentPort } from 'node:worker_threads'

/** Serves the `WorkerThread` that started this thread: does a job for each message, after one that it is ready. */
export function serveJobs(work: (input: never) => unknown): void {
  const post = (message: unknown): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort?.postMessage(message)
  }
  const run = async (input: never): Promise<void> => post(await work(input))
  parentPort?.on('message', (input) => void run(input as never))
  post(null)
}
