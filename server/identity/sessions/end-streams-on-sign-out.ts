import type { FastifyRequest } from 'fastify'
import type { SseStream } from '../../http/sse.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import type { Identity } from '../identity.ts'

/** How often the sessions that another process has ended, and the disabled users, are read. */
const pollIntervalMs = 1_000

export interface EndStreamsDeps {
  readonly sessions: Pick<NonNullable<Identity['sessions']>, 'listEnded' | 'onEnd'> | null
  /** The ids of all users whom the operator has disabled or is deleting. */
  readonly listDisabledUsers: () => Promise<readonly string[]>
}

/**
 * Ends the open streams of a session at once when it ends on this node, and within two seconds when it ends on another
 * one or its user is disabled.
 */
export function endStreamsOnSignOut(
  { sessions, listDisabledUsers }: EndStreamsDeps,
  onError: (error: unknown) => void,
) {
  const bySession = new StreamIndex()
  const byUser = new StreamIndex()
  sessions?.onEnd(({ sessionId }) => bySession.end(sessionId))
  const stopPolling = repeatUntilStopped(
    async () => {
      if (bySession.isEmpty && byUser.isEmpty) return
      for (const sessionId of (await sessions?.listEnded()) ?? []) bySession.end(sessionId)
      for (const userId of await listDisabledUsers()) byUser.end(userId)
    },
    pollIntervalMs,
    onError,
  )

  return {
    /** Ends `stream` when the session of `request` ends or its user is disabled. */
    track({ sessionId, user }: FastifyRequest, stream: SseStream): void {
      if (sessionId !== null) bySession.add(sessionId, stream)
      if (user !== null) byUser.add(user.id, stream)
    },
    close: stopPolling,
  }
}

/** Open streams by the session or user that they belong to. */
class StreamIndex {
  readonly #streams = new Map<string, Set<SseStream>>()

  get isEmpty(): boolean {
    return this.#streams.size === 0
  }

  add(id: string, stream: SseStream): void {
    const tracked = this.#streams.get(id) ?? new Set()
    this.#streams.set(id, tracked.add(stream))
    stream.onClose(() => {
      tracked.delete(stream)
      if (tracked.size === 0 && this.#streams.get(id) === tracked) this.#streams.delete(id)
    })
  }

  end(id: string): void {
    for (const stream of this.#streams.get(id) ?? []) stream.end()
  }
}
