import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { onAbort, withTimeout } from './abort.ts'
import { RoundRobin } from './round-robin.ts'

/** The thread is terminated when it takes longer to start. */
const maxStartMs = 30_000
/** The thread is terminated after this time without work, unless it is kept. */
const maxIdleMs = 60_000

export interface WorkerThreadOptions<Input> {
  /** The address of the calling module and the name of the worker beside it, as for `workerSource`. */
  readonly moduleUrl: string
  readonly name: string
  /** The thread is terminated when it takes longer for one job. */
  readonly maxJobMs: number
  readonly maxHeapMb: number
  /** Whether the thread waits for further jobs, because its next start would take long. */
  readonly isKept?: boolean
  /** Returns the buffers of an input that are moved to the thread instead of copied. */
  readonly transfer?: (input: Input) => readonly ArrayBuffer[]
}

interface StartedWorker {
  readonly worker: Worker
  readonly ready: Promise<unknown>
}

interface Job<Input, Output> {
  readonly input: Input
  readonly resolve: (output: Output) => void
  readonly reject: (error: unknown) => void
  readonly signal: AbortSignal | undefined
}

/**
 * Runs jobs in one worker thread, so that the event loop stays free. One job runs at a time, and users take turns. The
 * worker posts one message when it is ready and then one for each job.
 */
export class WorkerThread<Input, Output> {
  readonly #options: WorkerThreadOptions<Input>
  readonly #jobs = new RoundRobin<Job<Input, Output>>()
  readonly #closing = new AbortController()
  #isRunning = false
  #started: StartedWorker | undefined
  #idleTimer: NodeJS.Timeout | undefined

  constructor(options: WorkerThreadOptions<Input>) {
    this.#options = options
  }

  /**
   * Rejects when the job cannot be done in time or in memory, and as soon as `signal` aborts or the thread is closed.
   */
  async run(userId: string, input: Input, signal?: AbortSignal): Promise<Output> {
    const { promise, resolve, reject } = Promise.withResolvers<Output>()
    const removeAbort = signal && onAbort(signal, () => reject(new Error('The job was stopped.')))
    this.#jobs.add(userId, { input, resolve, reject, signal })
    if (!this.#isRunning) void this.#runAll()
    return promise.finally(removeAbort)
  }

  /** Rejects the running job and all that wait. */
  close(): void {
    this.#closing.abort(new Error('The thread was closed.'))
    clearTimeout(this.#idleTimer)
    this.#terminate()
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    clearTimeout(this.#idleTimer)
    for (let job = this.#jobs.take(); job !== undefined; job = this.#jobs.take()) {
      if (job.signal?.aborted === true) continue
      try {
        job.resolve(await this.#runNext(job.input))
      } catch (error) {
        this.#terminate()
        job.reject(error)
      }
    }
    this.#isRunning = false
    if (this.#options.isKept !== true)
      this.#idleTimer = setTimeout(() => this.#terminate(), maxIdleMs).unref()
  }

  async #runNext(input: Input): Promise<Output> {
    this.#closing.signal.throwIfAborted()
    const { worker, ready } = (this.#started ??= this.#start())
    await ready
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- worker threads have no origin
    worker.postMessage(input, this.#options.transfer?.(input) ?? [])
    return (await this.#nextMessage(worker, this.#options.maxJobMs)) as Output
  }

  #nextMessage(worker: Worker, maxMs: number): Promise<unknown> {
    return withTimeout(this.#closing.signal, maxMs, async (signal) => {
      const [message] = (await once(worker, 'message', { signal })) as [unknown]
      return message
    })
  }

  #start(): StartedWorker {
    const { moduleUrl, name, maxHeapMb } = this.#options
    const worker = new Worker(
      ...workerSource(moduleUrl, name, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
    )
    // Without a listener, an error of an idle thread would end the process.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      if (this.#started?.worker === worker) this.#started = undefined
    })
    worker.unref()
    return { worker, ready: this.#nextMessage(worker, maxStartMs) }
  }

  #terminate(): void {
    void this.#started?.worker.terminate()
    this.#started = undefined
  }
}

/**
 * The arguments that start the worker `name` of the folder of the calling module: its TypeScript file in development,
 * its bundle in the built product. A pool library cannot be used: the bundle would have to include
 * its worker file.
 */
export function workerSource(
  moduleUrl: string,
  name: string,
  options: Readonly<ConstructorParameters<typeof Worker>[1]>,
): ConstructorParameters<typeof Worker> {
  if (!moduleUrl.endsWith('.ts')) return [new URL(`./${name}.js`, moduleUrl), options]
  // A thread does not inherit the loader of its process.
  const source = new URL(`./${name}.ts`, moduleUrl).href
  const start = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import('${source}') })`
  return [start, { ...options, eval: true }]
}
