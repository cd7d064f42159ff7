import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest, onSendHookHandler, preHandlerAsyncHookHandler } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'

/**
 * Returns hooks for a route with large responses. In this process, they let requests with the same key run one at a
 * time. Each request needs several times the memory of its response, and occupies the processor until the response is
 * serialized.
 * The next request starts when the route has returned its response, also after the client has disconnected, because the
 * reads of the route cannot be stopped.
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
      raw.once('close', () => left.abort())
      const limit = { key: keyOf(request), maxConcurrent: 1 }
      const { waited, release } = await limiter.acquire([limit], left.signal).catch(() => {
        throw disconnected()
      })
      releases.set(request, release)
      if (waited) {
        // Between the two turns, the event loop reads the requests of others that have arrived.
        await nextTurn()
        await nextTurn()
      }
      if (left.signal.aborted) throw disconnected()
    },
    // The response is complete here. Sending it may take long but needs little processor time.
    onSend(request, _reply, payload, done) {
      releases.get(request)?.()
      done(null, payload)
    },
  }
}

function disconnected(): AppError {
  return new AppError('invalid_request', 'The client disconnected while the request waited.')
}
