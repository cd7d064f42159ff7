import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { workerSource } from '../../lib/worker-source.ts'

const maxHtmlChars = 300_000
/** A thread that takes longer to start is terminated. Starting depends on the machine alone, never on the HTML. */
const maxStartMs = 30_000
/** The thread of a text that takes longer is terminated. */
const maxConversionMs = 4_000
/** A thread without work is terminated after this time. */
const maxIdleMs = 30_000

// One thread of our own, because a pool library does not fit (see worker-source.ts).
let started: { readonly worker: Worker; readonly ready: Promise<unknown> } | undefined
let idleTimer: NodeJS.Timeout | undefined
let previous: Promise<unknown> = Promise.resolve()

/**
 * Converts HTML to the text that a reader would see: no images, no styles, and nothing that is hidden from a reader but
 * not from a model. Links follow their text, shortened. Never rejects: the text says when the HTML could not be read
 * (§11.14).
 */
export function convertHtml(html: string): Promise<string> {
  const converted = previous.then(() => convertNext(html.slice(0, maxHtmlChars)))
  previous = converted
  return converted
}

async function convertNext(html: string): Promise<string> {
  clearTimeout(idleTimer)
  try {
    const { worker, ready } = (started ??= start())
    await ready
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(html)
    const signal = AbortSignal.timeout(maxConversionMs)
    const [text] = (await once(worker, 'message', { signal })) as [string]
    return text
  } catch {
    terminate()
    return '[This part could not be read: its HTML is broken or too large.]'
  } finally {
    idleTimer = setTimeout(terminate, maxIdleMs).unref()
  }
}

function start(): NonNullable<typeof started> {
  const worker = new Worker(
    ...workerSource(import.meta.url, 'html-worker', { resourceLimits: { maxOldGenerationSizeMb: 128 } }),
  )
  // Without a listener, an error of an idle thread would end the process.
  worker.on('error', () => undefined)
  worker.once('exit', () => {
    if (started?.worker === worker) started = undefined
  })
  worker.unref()
  // The first message says that the thread has loaded.
  return { worker, ready: once(worker, 'message', { signal: AbortSignal.timeout(maxStartMs) }) }
}

function terminate(): void {
  void started?.worker.terminate()
  started = undefined
}
