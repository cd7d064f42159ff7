import { AppError } from '../../lib/app-error.ts'
import { WorkerThread } from '../../lib/worker-thread.ts'
import { maxMessageHeapMb } from './is-parsable.ts'
import type { ReadMessage, ReceivedMessage } from './read-message.ts'

/** Reads large messages of servers in a worker thread, so that the event loop stays free. */
export class LargeMessageReader {
  readonly #thread = new WorkerThread<ReceivedMessage, ReadMessage>({
    moduleUrl: import.meta.url,
    name: 'message-worker',
    maxJobMs: 15_000,
    maxHeapMb: maxMessageHeapMb,
    transfer: ({ data }) => (typeof data === 'string' ? [] : [data.buffer]),
  })

  /**
   * Reads a message. Bytes are moved to the thread, so the caller must not use them afterwards.
   * @throws AppError when the message cannot be read in time or in memory
   */
  async read(userId: string, message: ReceivedMessage): Promise<ReadMessage> {
    try {
      return await this.#thread.run(userId, message)
    } catch (error) {
      const text = 'The server sent a response that could not be read in the available time and memory.'
      throw new AppError('output_limit', text, { cause: error })
    }
  }

  close(): void {
    this.#thread.close()
  }
}
