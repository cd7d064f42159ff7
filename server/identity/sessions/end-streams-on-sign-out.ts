import type { FastifyRequest } from 'fastify'
import type { SseStream } from '../../http/sse.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import type { Sessions } from '../identity.ts'

/** How often the sessions that ended on other nodes are read. */
const pollIntervalMs = 60_000

export interface SessionStreams {
  /** Ends `stream` when the session of `request` ends. */
  readonly track: (request: FastifyRequest, stream: SseStream) => void
  readonly close: () => Promise<void>
}

/** Ends the open streams of a session when it ends: at once on this node, within a minute on the others (§15.11). */
export function endStreamsOnSignOut(
  sessions: Sessions | null,
  onError: (error: unknown) => void,
): SessionStreams {
  if (sessions === null) return { track: () => undefined, close: () => Promise.resolve() }
  const streams = new Map<string, Set<SseStream>>()
  const end = (sessionId: string): void => {
    for (const stream of streams.get(sessionId) ?? []) stream.end()
  }
  sessions.onEnd(({ sessionId }) => end(sessionId))
  const stopPolling = repeatUntilStopped(
    async () => {
      if (streams.size > 0) for (const sessionId of await sessions.listEnded()) end(sessionId)
    },
    pollIntervalMs,
    onError,
  )

  return {
    track({ sessionId }, stream) {
      if (sessionId === null) return
      const tracked = streams.get(sessionId) ?? new Set()
      streams.set(sessionId, tracked.add(stream))
      stream.onClose(() => {
        tracked.delete(stream)
        if (tracked.size === 0 && streams.get(sessionId) === tracked) streams.delete(sessionId)
      })
    },
    close: stopPolling,
  }
}
