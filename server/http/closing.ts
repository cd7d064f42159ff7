import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'

export function shuttingDown(): AppError {
  return new AppError('unavailable', 'The server is going down. Try again in a moment.')
}

/** Refuses requests during the shutdown with `unavailable`. Register it before the hooks that end other things. */
export function registerClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', async (_request, reply) => {
    if (!closing) return
    reply.header('connection', 'close')
    throw shuttingDown()
  })
}
