import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest, onSendHookHandler, preHandlerAsyncHookHandler } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'

/**
 * Returns hooks for a route whose responses are large: of the requests with the same key, one is executed at a time. Each
 * needs several times the memory of its response, and computes without a pause until it is written (§16.26).
 */
export function oneAtATime(keyOf: (request: FastifyRequest) => string): {
  readonly preHandler: preHandlerAsyncHookHandler
  readonly onSend: onSendHookHandler
} {
  const limiter = new ConcurrencyLimiter()
  const releases = new WeakMap<FastifyRequest, () => void>()
  return {
    async preHandler(request, { raw }) {
      const left = new AbortController()
      // Also when the client disconnects while the request waits or is executed.
      raw.once('close', () => {
        left.abort()
        releases.get(request)?.()
      })
      const limit = { key: keyOf(request), maxConcurrent: 1 }
      const { waited, release } = await limiter.acquire([limit], left.signal).catch(() => {
        throw new AppError('invalid_request', 'The client disconnected while the request waited.')
      })
      releases.set(request, release)
      if (waited) {
        // Twice, because what has arrived is read between two turns.
        await nextTurn()
        await nextTurn()
      }
      if (left.signal.aborted) release()
    },
    // The response is written as text by now. Sending it may take long and costs no processor time.
    onSend(request, _reply, payload, done) {
      releases.get(request)?.()
      done(null, payload)
    },
  }
}
