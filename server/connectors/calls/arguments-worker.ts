import { parentPort } from 'node:worker_threads'
import { validateArguments, type ArgumentsToValidate } from './validate-arguments.ts'

/* The worker thread of `check-arguments.ts`. */

/** Returns null when the schema cannot be used. */
function validate(input: ArgumentsToValidate): readonly string[] | null {
  try {
    return validateArguments(input)
  } catch {
    return null
  }
}

parentPort?.on('message', (input: ArgumentsToValidate) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(validate(input))
})

// Tells the main thread that this thread is ready.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(null)
