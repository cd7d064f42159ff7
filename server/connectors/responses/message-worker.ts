import { parentPort } from 'node:worker_threads'
import { readLargeMessage, type LargeMessage } from './read-large-message.ts'

/* The worker thread of `large-message-reader.ts`. */

async function reply(message: LargeMessage): Promise<void> {
  const read = await readLargeMessage(message)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(read)
}

parentPort?.on('message', (message: LargeMessage) => void reply(message))

// Tells the main thread that this thread is ready.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(null)
