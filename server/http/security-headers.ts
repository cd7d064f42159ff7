import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'

/**
 * The headers of every page. Scripts, styles and connections come from here alone; `connectOrigins` adds the identity
 * provider. Images may come from elsewhere, since the page asks a person before it names one.
 */
export function registerSecurityHeaders(
  app: FastifyInstance,
  {
    connectOrigins,
    https,
  }: {
    /** The same list until it changes. */
    readonly connectOrigins: () => readonly string[]
    readonly https: boolean
  },
): void {
  // They are the same for each answer: Fastify's own plugin for them would put the policy together every time.
  let origins = connectOrigins()
  let headers = makeHeaders(origins, https)
  app.addHook('onRequest', async (_request, reply) => {
    const known = connectOrigins()
    if (known !== origins) headers = makeHeaders(known, https)
    origins = known
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
