import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../../lib/app-error.ts'
import { type ExportFile, openExport } from './open-export.ts'
import type { WorkerReply } from './read-export.ts'

/*
 * Reads an export in its own thread, because parsing a large chat takes seconds. It reads the next chat when it is asked
 * for it, so that no more than one waits in memory.
 */

function post(reply: WorkerReply): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(reply)
}

function postError(error: unknown): void {
  if (error instanceof AppError) post({ kind: 'refused', code: error.code, message: error.message })
  else post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
}

async function serve(): Promise<void> {
  const opened = await openExport(workerData as readonly ExportFile[])
  const chats = opened.chats()
  parentPort?.on('message', () => void sendNext())
  post({ kind: 'opened', source: opened.source, totalBytes: opened.totalBytes })

  async function sendNext(): Promise<void> {
    try {
      const { value, done } = await chats.next()
      if (done === true) post({ kind: 'end' })
      else post({ kind: 'chat', chat: value, bytesRead: opened.bytesRead() })
    } catch (error) {
      postError(error)
    }
  }
}

void serve().catch(postError)
