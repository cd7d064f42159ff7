import { Worker } from 'node:worker_threads'
import type { ErrorCode } from '@yonder/contract/error'
import { onAbort } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { errorCode } from '../../lib/describe-error.ts'
import { workerSource } from '../../lib/worker-thread.ts'
import type { ImportedChat, ImportSource, UnreadableChat } from '../imported-chat.ts'
import type { ExportFile, OpenedExport } from './open-export.ts'

/**
 * What the largest chat needs that `JsonSplitter` lets through, several times. Parsing is native: beyond the limit it would
 * end the process, and not only the thread.
 */
const maxHeapMb = 1_536

/** What the thread answers: once that it has opened the files, and then to each message. */
export type WorkerReply =
  | { readonly kind: 'opened'; readonly source: ImportSource; readonly totalBytes: number }
  | { readonly kind: 'chat'; readonly chat: ImportedChat | UnreadableChat; readonly bytesRead: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * Like `openExport`, in a thread of its own, which ends with `close`, when `signal` aborts or when the chats are read.
 * One chat is read at a time, when it is asked for.
 * @throws AppError as `openExport`, and `invalid_request` when the thread runs out of memory, also from `chats`
 */
export async function readExport(
  files: readonly ExportFile[],
  { signal }: { readonly signal: AbortSignal },
): Promise<OpenedExport> {
  signal.throwIfAborted()
  const thread = new ReadingThread(files, signal)
  const opened = await thread.next()
  if (opened.kind !== 'opened') throw thread.close(new Error('The thread has not opened the files.'))
  let bytesRead = 0
  return {
    source: opened.source,
    totalBytes: opened.totalBytes,
    bytesRead: () => bytesRead,
    close: () => void thread.close(new Error('The export was closed.')),
    async *chats() {
      try {
        for (;;) {
          const reply = await thread.ask()
          if (reply.kind !== 'chat') break
          bytesRead = reply.bytesRead
          yield reply.chat
        }
        bytesRead = opened.totalBytes
      } finally {
        thread.close(new Error('The export was closed.'))
      }
    },
  }
}

/** A thread that sends one reply after the other, each after it was asked. */
class ReadingThread {
  readonly #worker: Worker
  readonly #stopListening: () => void
  #waiting = Promise.withResolvers<WorkerReply>()

  constructor(files: readonly ExportFile[], signal: AbortSignal) {
    this.#waiting.promise.catch(() => undefined)
    this.#worker = new Worker(
      ...workerSource(import.meta.url, 'read-export-worker', {
        workerData: files.map(({ name, path }) => ({ name, path })),
        resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      }),
    )
    this.#worker.on('message', (reply: WorkerReply) => this.#receive(reply))
    this.#worker.on('error', (error) => void this.close(describeEnd(error)))
    this.#worker.on('exit', () => void this.close(describeEnd(undefined)))
    this.#stopListening = onAbort(signal, () => void this.close(signal.reason))
  }

  next(): Promise<WorkerReply> {
    return this.#waiting.promise
  }

  ask(): Promise<WorkerReply> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- worker threads have no origin
    this.#worker.postMessage(null)
    return this.next()
  }

  #receive(reply: WorkerReply): void {
    if (reply.kind === 'refused') this.close(new AppError(reply.code, reply.message))
    else if (reply.kind === 'failed') this.close(new Error(reply.message))
    else {
      const answered = this.#waiting
      this.#waiting = Promise.withResolvers<WorkerReply>()
      this.#waiting.promise.catch(() => undefined)
      answered.resolve(reply)
    }
  }

  /** Ends the thread, and rejects what waits for it. */
  close(reason: unknown): unknown {
    this.#stopListening?.()
    this.#waiting.reject(reason)
    void this.#worker.terminate()
    return reason
  }
}

function describeEnd(cause: unknown): AppError {
  const reason =
    errorCode(cause) === 'ERR_WORKER_OUT_OF_MEMORY'
      ? 'a chat in it needs too much memory'
      : 'its reader failed'
  return new AppError('invalid_request', `The export could not be read to its end: ${reason}.`, { cause })
}
