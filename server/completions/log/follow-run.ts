import { endMarker } from '@yonder/contract/completion'
import type { ErrorDetail } from '@yonder/contract/error'
import { sseFrame } from '../../http/sse.ts'
import type { SseStream } from '../../http/sse.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { readStanding } from './run-status.ts'
import { listEvents } from './run-store.ts'

/** Events read from the log at once: a large backlog is sent in pieces, each after the one before it has left. */
const pieceSize = 32
/** Milliseconds after which a run of another process is looked at when no news came. */
const pollTime = 400

export interface FollowOptions {
  readonly runId: number
  /** The last event that the reader has; 0 for none. */
  readonly after: number
  /** Sends `id:` lines. */
  readonly numbered: boolean
}

/**
 * Sends a run from after an event to its end, without a gap or a repeat: what is in the log first, then what comes, from
 * this process as it is committed, or from the log when another node writes the run. Resolves when that is under way by
 * itself, or the stream has ended.
 */
export async function followRun(
  deps: CompletionDeps,
  stream: SseStream,
  options: FollowOptions,
): Promise<void> {
  try {
    await follow(deps, stream, options)
  } catch (error) {
    // The answer has begun: an error can only be told in it.
    deps.onError(error)
    const detail: ErrorDetail = { code: 'unavailable', message: 'The reply cannot be followed right now.' }
    stream.end(sseFrame(JSON.stringify({ error: detail })))
  }
}

async function follow(deps: CompletionDeps, stream: SseStream, options: FollowOptions): Promise<void> {
  const { database, news } = deps
  let { after } = options
  let readAgain = false
  while (!stream.closed) {
    if (attach(deps, stream, { ...options, after })) return
    const rows = await listEvents(database.db, options.runId, after, pieceSize)
    const last = rows.at(-1)
    if (last === undefined) {
      const state = await readStanding(deps, options.runId, after)
      // "more": it ended between the two reads, so its last events are there now; or its log was removed.
      if (state === 'ended' || state === 'gone' || (state === 'more' && readAgain)) {
        stream.end(state === 'ended' ? sseFrame(endMarker) : undefined)
        return
      }
      readAgain = state === 'more'
      if (state === 'waiting') await news.wait(options.runId, pollTime)
      continue
    }
    readAgain = false
    stream.write(rows.map(({ seq, event }) => sseFrame(event, options.numbered ? seq : undefined)).join(''))
    after = last.seq
    if (!(await stream.drained())) return
  }
}

/** Listens to a run of this process; false while the reader lacks something that was shown. */
function attach(
  { runs }: CompletionDeps,
  stream: SseStream,
  { runId, after, numbered }: FollowOptions,
): boolean {
  const recorder = runs.get(runId)?.recorder
  if (recorder === undefined || recorder.state.status !== 'running' || after < recorder.state.seq)
    return false
  const detach = recorder.attach({
    after,
    numbered,
    onFrames: (frames) => stream.write(frames),
    onEnd: (frames) => stream.end(frames),
  })
  stream.onClose(detach)
  return true
}
