import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'

/** What a page knows of a chat when the live stream tells of a run in it. */
export interface KnownRun {
  readonly run: RunState | undefined
  /** The run that is followed through the live stream, named by its first reply; absent when it has a stream of its own. */
  readonly liveId: string | undefined
  /** Whether the page has all of the event's run already. */
  readonly isOver: () => boolean
}

/**
 * What to do with an event: `begin` following its run, `advance` the one that is followed, `reread` the chat because
 * something was missed, or `ignore` what is known already.
 */
export function judgeEvent(
  { run, liveId, isOver }: KnownRun,
  messageId: string,
  event: RunEvent,
): 'begin' | 'advance' | 'reread' | 'ignore' {
  if (run !== undefined && liveId === undefined) return 'ignore'
  if (run !== undefined && liveId === messageId) {
    if (event.seq <= run.seq) return 'ignore'
    return event.seq === run.seq + 1 ? 'advance' : 'reread'
  }
  if (isOver()) return 'ignore'
  return event.type === 'started' ? 'begin' : 'reread'
}
