import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a body that may take minutes, such as an upload. It must not pause for long. */
    readonly slowBody?: boolean
  }
}

/** Milliseconds until a request must be complete, and for which a slow body may pause. */
const maxBodyMs = 60_000
/** Milliseconds until a request with a slow body must be complete. */
export const maxSlowBodyMs = 30 * 60_000

/**
 * Ends requests whose body does not arrive in time, as Node does: its own limit is one for all routes, and so the
 * longest. Without a limit a client could send a body forever.
 */
export function limitBodyTime(app: FastifyInstance, maxMs = maxBodyMs): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Before `done`, in which the whole request may be handled.
    watchBody(app, request, reply, maxMs)
    done()
  })
}

function watchBody(
  app: FastifyInstance,
  { raw, headers, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  maxMs: number,
): void {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  if (!hasBody || raw.complete) return
  const isSlow = routeOptions.config.slowBody === true
  let received = raw.socket.bytesRead
  const timer = setInterval(() => {
    const hasPaused = raw.socket.bytesRead === received
    received = raw.socket.bytesRead
    if (raw.complete) clearInterval(timer)
    else if (!isSlow || hasPaused)
      app.server.emit('clientError', Object.assign(new Error('the body is late'), { code }), raw.socket)
  }, maxMs)
  timer.unref()
  const stop = (): void => clearInterval(timer)
  raw.once('end', stop)
  raw.once('close', stop)
  reply.raw.once('close', stop)
}

/** The code of Node's own error. */
const code = 'ERR_HTTP_REQUEST_TIMEOUT'
