import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { workerSource } from '../../lib/worker-source.ts'

const maxHtmlChars = 300_000
/** The thread of a text that takes longer is terminated. */
const maxConversionMs = 4_000
/** A thread without work is terminated after this time. */
const maxIdleMs = 30_000

// One thread of our own, because a pool library does not fit (see worker-source.ts).
let worker: Worker | undefined
let idleTimer: NodeJS.Timeout | undefined
let previous: Promise<unknown> = Promise.resolve()

/**
 * Converts HTML to the text that a reader would see: no images, no styles, and nothing that is hidden from a reader but
 * not from a model. Links follow their text, shortened. Never rejects: the text says when the HTML could not be read.
 */
export function convertHtml(html: string): Promise<string> {
  const converted = previous.then(() => convertNext(html.slice(0, maxHtmlChars)))
  previous = converted
  return converted
}

async function convertNext(html: string): Promise<string> {
  clearTimeout(idleTimer)
  try {
    const current = (worker ??= start())
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    current.postMessage(html)
    const signal = AbortSignal.timeout(maxConversionMs)
    const [text] = (await once(current, 'message', { signal })) as [string]
    return text
  } catch {
    terminate()
    return '[This part could not be read: its HTML is broken or too large.]'
  } finally {
    idleTimer = setTimeout(terminate, maxIdleMs).unref()
  }
}

function start(): Worker {
  const started = new Worker(
    ...workerSource(import.meta.url, 'html-worker', { resourceLimits: { maxOldGenerationSizeMb: 128 } }),
  )
  // Without a listener, an error of an idle thread would end the process.
  started.on('error', () => undefined)
  started.once('exit', () => {
    if (worker === started) worker = undefined
  })
  started.unref()
  return started
}

function terminate(): void {
  void worker?.terminate()
  worker = undefined
}
