import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { workerSource } from '../../lib/worker-source.ts'

const maxHtmlChars = 300_000
/** The worker thread is terminated when it takes longer to start. */
const maxStartMs = 30_000
/** The worker thread is terminated when it takes longer to convert one text. */
const maxConversionMs = 4_000
/** The worker thread is terminated after this time without work. */
const maxIdleMs = 30_000

// A single worker without a pool library, for the reasons in `lib/worker-source.ts`.
let started: { readonly worker: Worker; readonly ready: Promise<unknown> } | undefined
let idleTimer: NodeJS.Timeout | undefined
let previous: Promise<unknown> = Promise.resolve()

/**
 * Converts HTML to text in a worker thread, one text at a time. Images, styles and hidden elements are omitted, because
 * a model must not read what the user cannot see. Links follow their text and are shortened. Never rejects: when the HTML
 * cannot be read, it returns a note (§11.14).
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
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- worker threads have no origin
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
  // The worker sends its first message when it has loaded.
  return { worker, ready: once(worker, 'message', { signal: AbortSignal.timeout(maxStartMs) }) }
}

function terminate(): void {
  void started?.worker.terminate()
  started = undefined
}
