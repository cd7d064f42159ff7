import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'

/**
 * Sets the security headers of every response. Scripts, styles and connections are limited to our own origin;
 * `connectOrigins` adds the identity provider. Images may have any origin, because the web app
 * loads one only after the user has agreed (§22.3).
 */
export function registerSecurityHeaders(
  app: FastifyInstance,
  {
    connectOrigins,
    https,
  }: {
    /** Returns the same array object while its contents are unchanged. */
    readonly connectOrigins: () => readonly string[]
    readonly https: boolean
  },
): void {
  // The headers are computed once. Fastify's helmet plugin would build the policy for every response.
  let origins = connectOrigins()
  let headers = makeHeaders(origins, https)
  app.addHook('onRequest', async (_request, reply) => {
    const current = connectOrigins()
    if (current !== origins) headers = makeHeaders(current, https)
    origins = current
    reply.headers(headers)
  })
}

function makeHeaders(connectOrigins: readonly string[], https: boolean) {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'https:', 'http:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", ...connectOrigins],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ["'none'"],
      },
    },
    strictTransportSecurity: https ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  })
  const sample = new ServerResponse(new IncomingMessage(new Socket()))
  setHeaders(sample.req, sample, () => undefined)
  return {
    ...sample.getHeaders(),
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  }
}
