import { parentPort } from 'node:worker_threads'

/** Serves the `WorkerThread` that started this thread: does a job for each message, after one that it is ready. */
export function serveJobs<Input, Output>(work: (input: Input) => Output | Promise<Output>): void {
  const post = (message: Output | null): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort?.postMessage(message)
  }
  const run = async (input: Input): Promise<void> => post(await work(input))
  parentPort?.on('message', (input: Input) => void run(input))
  post(null)
}
