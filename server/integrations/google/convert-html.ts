import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { workerSource } from '../../lib/worker-source.ts'

/** Characters of HTML that are looked at. */
const longestHtml = 300_000
/** Milliseconds that one text may take; the thread of one that takes longer is ended. */
const longestWork = 4_000
/** Milliseconds after which a thread without work ends. */
const longestIdle = 30_000

let worker: Worker | undefined
let idle: NodeJS.Timeout | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * What a person would read of an HTML text: no pictures, no styles, and nothing that is hidden from them but would be read
 * by a model. Links stand behind their text, shortened. Never fails: what cannot be read says so.
 */
export function convertHtml(html: string): Promise<string> {
  const converted = last.then(() => convertNext(html.slice(0, longestHtml)))
  last = converted
  return converted
}

async function convertNext(html: string): Promise<string> {
  clearTimeout(idle)
  try {
    const used = (worker ??= start())
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    used.postMessage(html)
    const [text] = (await once(used, 'message', { signal: AbortSignal.timeout(longestWork) })) as [string]
    return text
  } catch {
    endWorker()
    return '[This part could not be read: its HTML is broken or too large.]'
  } finally {
    idle = setTimeout(endWorker, longestIdle).unref()
  }
}

function start(): Worker {
  const started = new Worker(
    ...workerSource(import.meta.url, 'html-worker', { resourceLimits: { maxOldGenerationSizeMb: 128 } }),
  )
  // One that breaks without work is replaced by the next that is needed.
  started.on('error', () => undefined)
  started.once('exit', () => {
    if (worker === started) worker = undefined
  })
  started.unref()
  return started
}

function endWorker(): void {
  void worker?.terminate()
  worker = undefined
}
