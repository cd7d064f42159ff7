import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'

/** The refusal of a request that another node, or this one after its restart, accepts. Nothing was done. */
export function restarting(): AppError {
  return new AppError('restarting', 'Yonder is restarting. Try again in a moment.')
}

/**
 * How far the end of this process is. While it drains, it serves requests, but takes no new replies and is not ready,
 * and connections end with their response, so that the next request reaches another node. While it closes, it refuses
 * every request.
 */
export class Shutdown {
  #phase: 'serving' | 'draining' | 'closing' = 'serving'
  readonly #responses = new Set<ServerResponse>()

  /** Its hooks must be registered before all others. */
  constructor(app: FastifyInstance) {
    app.addHook('preClose', async () => {
      this.#phase = 'closing'
    })
    app.addHook('onRequest', async (_request, reply) => {
      const { raw } = reply
      this.#responses.add(raw)
      raw.once('close', () => this.#responses.delete(raw))
      if (this.#phase !== 'serving') reply.header('connection', 'close')
      if (this.#phase === 'closing') throw restarting()
    })
  }

  drain(): void {
    if (this.#phase === 'serving') this.#phase = 'draining'
  }

  /** Whether this process will end soon. */
  get hasBegun(): boolean {
    return this.#phase !== 'serving'
  }

  /** The number of responses that have not ended, streams included. */
  get openResponses(): number {
    return this.#responses.size
  }
}
