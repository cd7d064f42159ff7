import type { FastifyRequest } from 'fastify'
import type { SseStream } from '../../http/sse.ts'
import { repeatWork } from '../../lib/repeat-until-stopped.ts'
import type { SignIns } from './sessions.ts'

/** Milliseconds between two looks for sign-ins that were ended at other nodes. */
const lookInterval = 60_000

/** Streams that end with the sign-in they were asked for with. */
export interface TiedStreams {
  readonly tie: (request: FastifyRequest, stream: SseStream) => void
  readonly close: () => Promise<void>
}

/** A sign-out is a matter of this minute also for an answer that has begun: at this node it ends at once. */
export function tieStreams(signIns: SignIns | null, onError: (error: unknown) => void): TiedStreams {
  if (signIns === null) return { tie: () => undefined, close: () => Promise.resolve() }
  const streams = new Map<string, Set<SseStream>>()
  const end = (signIn: string): void => {
    for (const stream of streams.get(signIn) ?? []) stream.end()
  }
  signIns.onEnd(({ signIn }) => end(signIn))
  const endLooking = repeatWork(
    async () => {
      if (streams.size > 0) for (const signIn of await signIns.listEnded()) end(signIn)
    },
    lookInterval,
    onError,
  )

  return {
    tie({ signIn }, stream) {
      if (signIn === null) return
      const tied = streams.get(signIn) ?? new Set()
      streams.set(signIn, tied.add(stream))
      stream.onClose(() => {
        tied.delete(stream)
        if (tied.size === 0 && streams.get(signIn) === tied) streams.delete(signIn)
      })
    },
    close: endLooking,
  }
}
