import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Completions } from './completions/open-completions.ts'
import type { Shutdown } from './http/shutdown.ts'
import type { Live } from './live/open-live.ts'

export interface DrainDeps {
  readonly app: FastifyInstance
  readonly shutdown: Shutdown
  readonly completions: Pick<Completions, 'refuseNew' | 'countActive' | 'sse'>
  readonly live: Pick<Live, 'sse'>
}

export interface DrainOptions {
  /** Milliseconds after which it ends in any case. */
  readonly maxMs: number
  /** Tells whether another node can take over the readers. */
  readonly findOther: () => Promise<boolean>
  /**
   * Milliseconds for which requests are still served beside another node, because proxies need a moment to notice the
   * end of this one.
   */
  readonly noticeMs: number
  /** Ends it at once. */
  readonly signal: AbortSignal
}

/** Milliseconds between two looks at what still runs. */
const pollMs = 50
/** Milliseconds for the requests that arrived just before the port was closed. */
const maxLastMs = 5_000

/**
 * Takes no new runs, lets running ones and all requests end, and closes the port. Streams that only follow something are
 * handed over to another node; without one they stay open. Call it before the app is closed.
 */
export async function drain(
  { app, shutdown, completions, live }: DrainDeps,
  { maxMs, findOther, noticeMs, signal }: DrainOptions,
): Promise<void> {
  const hubs = [live.sse, completions.sse]
  shutdown.drain()
  completions.refuseNew()
  const hasOther = await findOther()
  if (hasOther) for (const hub of hubs) hub.handOver()
  const minMs = hasOther ? noticeMs : 0
  const countRequests = () => shutdown.openResponses - hubs.reduce((sum, hub) => sum + hub.followers, 0)
  const startedAt = performance.now()
  const isDone = () =>
    performance.now() - startedAt >= minMs && completions.countActive() === 0 && countRequests() === 0
  if (completions.countActive() > 0)
    app.log.info(
      { replies: completions.countActive(), seconds: Math.round(maxMs / 1_000) },
      'waiting for replies to end before the process ends; a second signal interrupts them',
    )
  while (!signal.aborted && performance.now() - startedAt < maxMs && !isDone()) await wait(pollMs)
  app.server.close()
  const closedAt = performance.now()
  while (!signal.aborted && performance.now() - closedAt < maxLastMs && countRequests() > 0)
    await wait(pollMs)
}
