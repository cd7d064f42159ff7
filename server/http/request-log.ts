import { LogController } from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * One line a request, when it has been answered. The path stands without its query, which may carry a sign-in code or
 * a searched word.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // Said in the line of the answer.
  }

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const line = describeAnswer(request, reply)
    if (error === null || error === undefined) request.log.info(line, 'request')
    else request.log.error({ ...line, err: error }, 'request')
  }
}

/** The same line for a request whose sender left before its answer had ended, as everyone leaves an open stream. */
export function logLeft(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info({ ...describeAnswer(request, reply), left: true }, 'request')
}

/** Tells of those requests, of which Fastify says nothing. */
export function onLeft(
  app: FastifyInstance,
  tell: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = reply
    raw.once('close', () => {
      if (!raw.writableFinished && !raw.errored) tell(request, reply)
    })
  })
}

function describeAnswer(request: FastifyRequest, reply: FastifyReply) {
  return {
    method: request.method,
    path: request.url.split('?')[0],
    // Null of an answer that never began.
    status: reply.raw.headersSent ? reply.statusCode : null,
    milliseconds: Math.round(reply.elapsedTime),
  }
}
