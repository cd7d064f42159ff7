import { WorkerThread } from '../../lib/worker-thread.ts'
import type { GoogleApiClient } from './api-client.ts'

const maxHtmlChars = 300_000

const thread = new WorkerThread<string, string>({
  moduleUrl: import.meta.url,
  name: 'html-worker',
  maxJobMs: 4_000,
  maxHeapMb: 128,
})

/** The tool call that HTML is converted for: its user, and the signal that aborts when the call is stopped. */
export type ToolCallContext = Pick<GoogleApiClient<unknown>, 'userId' | 'signal'>

/**
 * Converts HTML to text in a worker thread, which converts one text at a time and serves users in turn. Images and
 * styles are omitted, and so are elements that `html-worker.ts` recognizes as hidden, because a model must not read
 * text that the user cannot see. The address of a link follows its text and is shortened. Never rejects: returns a
 * note when the HTML cannot be read, when it takes too long, or when the call was stopped.
 */
export async function convertHtml(html: string, { userId, signal }: ToolCallContext): Promise<string> {
  try {
    return await thread.run(userId, html.slice(0, maxHtmlChars), signal)
  } catch {
    return '[This part could not be read: its HTML is broken or too large.]'
  }
}
