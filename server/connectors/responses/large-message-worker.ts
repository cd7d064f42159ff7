import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../lib/app-error.ts'
import { RoundRobin } from '../../lib/round-robin.ts'
import { workerSource } from '../../lib/worker-source.ts'
import type { LargeMessage, ReadMessage } from './read-large-message.ts'

/** The thread is terminated when it takes longer to start. */
const maxStartMs = 30_000
/** The thread is terminated when it takes longer to read one message. */
const maxReadMs = 15_000
/** The thread is terminated after this time without work. */
const maxIdleMs = 60_000
const maxHeapMb = 256

interface StartedWorker {
  readonly worker: Worker
  readonly ready: Promise<unknown>
}

interface Job {
  readonly message: LargeMessage
  readonly resolve: (read: ReadMessage) => void
  readonly reject: (error: AppError) => void
}

/**
 * Reads large messages of servers in one worker thread, so that the event loop stays free. One message is read at a
 * time, and users take turns.
 */
export class MessageWorker {
  readonly #jobs = new RoundRobin<Job>()
  #isRunning = false
  #started: StartedWorker | undefined
  #idleTimer: NodeJS.Timeout | undefined

  /** @throws AppError when the message cannot be read in time or in memory */
  read(userId: string, message: LargeMessage): Promise<ReadMessage> {
    return new Promise((resolve, reject) => {
      this.#jobs.add(userId, { message, resolve, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  close(): void {
    clearTimeout(this.#idleTimer)
    this.#terminate()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    clearTimeout(this.#idleTimer)
    for (let job = this.#jobs.take(); job !== undefined; job = this.#jobs.take()) {
      try {
        job.resolve(await this.#readNext(job.message))
      } catch (error) {
        this.#terminate()
        const text = 'The server sent a response that takes too long to read.'
        job.reject(new AppError('output_limit', text, { cause: error }))
      }
    }
    this.#isRunning = false
    this.#idleTimer = setTimeout(() => this.#terminate(), maxIdleMs).unref()
  }

  async #readNext(message: LargeMessage): Promise<ReadMessage> {
    const { worker, ready } = (this.#started ??= this.#start())
    await ready
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- worker threads have no origin
    worker.postMessage(message)
    const [read] = (await once(worker, 'message', { signal: AbortSignal.timeout(maxReadMs) })) as [
      ReadMessage,
    ]
    return read
  }

  #start(): StartedWorker {
    const options = { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }
    const worker = new Worker(...workerSource(import.meta.url, 'message-worker', options))
    // Without a listener, an error of an idle thread would end the process.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      if (this.#started?.worker === worker) this.#started = undefined
    })
    worker.unref()
    return { worker, ready: once(worker, 'message', { signal: AbortSignal.timeout(maxStartMs) }) }
  }

  #terminate(): void {
    void this.#started?.worker.terminate()
    this.#started = undefined
  }
}
