import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import type { ApiClient } from '../../../lib/api-client.ts'
import { logError } from '../../../lib/log-error.ts'
import { firstReply } from './first-reply.ts'
import { foldStream, MissedEventError } from './fold-stream.ts'
import { connectStream } from '../../../lib/connect-stream.ts'
import type { ConnectedStream } from '../../../lib/connect-stream.ts'
import { UnstoredReplyError } from './parse-run-event.ts'
import { waitToRetry } from '../../../lib/wait-to-retry.ts'

export interface RunWatcher {
  /** Told of each state with the event that led to it. */
  readonly onRun: (run: RunState, event: RunEvent) => void
  /** Tells that the connection broke (false), and that the run was joined again (true). */
  readonly onConnection: (joined: boolean) => void
  /** Tells why the run will end without having said so itself. */
  readonly onReason: (reason: string) => void
}

/**
 * Follows a run, and joins it again for as long as it takes. Answers `ended` after its last event or when `signal`
 * aborts, `unknown` when the server no longer knows the run or tells of another one that does the same, `unconfirmed` when
 * the connection broke before the first event, so that nobody can say whether there is a run.
 */
export async function watchRun(
  api: ApiClient,
  chatId: string,
  start: { readonly run: RunState; readonly stream?: ConnectedStream | undefined },
  watcher: RunWatcher,
  signal: AbortSignal,
): Promise<'ended' | 'unknown' | 'unconfirmed'> {
  let { run, stream } = start
  for (let failures = 0; ; failures += 1) {
    if (stream?.response.ok === true) {
      const before = run.seq
      const problem = await readStream(stream, run, signal, (next, event) => {
        run = next
        watcher.onRun(next, event)
      })
      if (signal.aborted || run.status !== 'running') return 'ended'
      if (run.seq === 0) return problem instanceof MissedEventError ? 'unknown' : 'unconfirmed'
      if (run.seq > before) failures = 0
      if (problem instanceof UnstoredReplyError) watcher.onReason(problem.message)
      watcher.onConnection(false)
    } else if (stream !== undefined && stream.response.status < 500) return 'unknown'
    await waitToRetry(failures, signal)
    if (!signal.aborted) stream = await joinRun(api, chatId, run, signal)
    if (signal.aborted) return 'ended'
    if (stream?.response.ok === true) watcher.onConnection(true)
  }
}

/** Answers with what broke it, if something did. */
async function readStream(
  stream: ConnectedStream,
  run: RunState,
  signal: AbortSignal,
  onRun: RunWatcher['onRun'],
): Promise<unknown> {
  try {
    await foldStream(stream, run, onRun)
    return undefined
  } catch (error) {
    if (!signal.aborted) logError('The stream broke and is joined again', error)
    return error
  } finally {
    stream.close()
  }
}

/** Nothing when the server cannot be reached; then it is tried again. */
async function joinRun(
  api: ApiClient,
  chatId: string,
  run: RunState,
  signal: AbortSignal,
): Promise<ConnectedStream | undefined> {
  const reply = encodeURIComponent(firstReply(run)?.id ?? '')
  const path = `/api/chat/${encodeURIComponent(chatId)}/stream?messageId=${reply}`
  try {
    const stream = await connectStream(api, path, { headers: { 'Last-Event-ID': String(run.seq) } }, signal)
    if (stream?.response.ok === false) stream.close()
    return stream
  } catch {
    return undefined
  }
}
