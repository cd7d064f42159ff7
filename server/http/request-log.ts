import { LogController } from 'fastify'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * One line a request, when it has been answered. The path stands without its query, which may carry a sign-in code or
 * a searched word.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // Said in the line of the answer.
  }

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const line = {
      method: request.method,
      path: request.url.split('?')[0],
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime),
    }
    if (error === null || error === undefined) request.log.info(line, 'request')
    else request.log.error({ ...line, err: error }, 'request')
  }
}
