import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'

/** What is answered to whoever comes too late. */
export function goingDown(): AppError {
  return new AppError('unavailable', 'The server is going down. Try again in a moment.')
}

/** Tells whoever comes while the process goes down, in the form of every other error. Register it before what ends. */
export function registerClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', async (_request, reply) => {
    if (!closing) return
    reply.header('connection', 'close')
    throw goingDown()
  })
}
