import { LogController } from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Logs one line per request, when its response has ended. The path has no query, which may hold a sign-in code or a
 * search term.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // `requestCompleted` logs the request.
  }

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const line = describeResponse(request, reply)
    if (error === null || error === undefined) request.log.info(line, 'request')
    else request.log.error({ ...line, err: error }, 'request')
  }
}

/** Logs the same line for a client that disconnected before its response ended, as every client of a stream does. */
export function logDisconnect(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info({ ...describeResponse(request, reply), left: true }, 'request')
}

/** Calls `act` for requests whose client disconnected. Fastify has no hook for them. */
export function onDisconnect(
  app: FastifyInstance,
  act: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = reply
    raw.once('close', () => {
      if (!raw.writableFinished && !raw.errored) act(request, reply)
    })
  })
}

function describeResponse(request: FastifyRequest, reply: FastifyReply) {
  return {
    method: request.method,
    path: request.url.split('?')[0],
    // Null when no response was sent.
    status: reply.raw.headersSent ? reply.statusCode : null,
    milliseconds: Math.round(reply.elapsedTime),
  }
}
