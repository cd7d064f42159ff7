import type { ErrorDetail } from '@yonder/contract/error'
import { sseFrame } from '../../http/sse.ts'
import type { SseStream } from '../../http/sse.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { readRunEvents } from './read-run-events.ts'
import type { RunCursor } from './read-run-events.ts'

export interface FollowOptions extends RunCursor {
  /** Whether each event gets an `id:` line with its number. */
  readonly numbered: boolean
}

/** Sends the events of a run to its end (§17.5). Resolves when the stream has ended; never rejects. */
export async function followRun(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'notifications' | 'now' | 'onError'>,
  stream: SseStream,
  { runId, after, numbered }: FollowOptions,
): Promise<void> {
  const closed = new AbortController()
  stream.onClose(() => closed.abort())
  try {
    for await (const batch of readRunEvents(deps, { runId, after }, closed.signal)) {
      const frames = batch.frames(numbered)
      if (batch.isEnd) return stream.end(frames)
      stream.write(frames)
      if (batch.isStored && !(await stream.drained())) return
    }
    stream.end()
  } catch (error) {
    // The headers are already sent, so the error can only be sent as an event.
    stream.end(sseFrame(JSON.stringify({ error: toDetail(error, deps.onError) })))
  }
}

function toDetail(error: unknown, onError: CompletionDeps['onError']): ErrorDetail {
  if (error instanceof AppError) return { code: error.code, message: error.message }
  onError(error)
  return { code: 'unavailable', message: 'The reply cannot be followed right now.' }
}
