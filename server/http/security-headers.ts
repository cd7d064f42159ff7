import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'

/** The API, and the built-in sign-in. */
const uncached = /^\/(api|oidc)\//

/**
 * Sets the security headers of the response to each request that passes the host check. Scripts, styles and connections
 * are limited to our own origin; `connectOrigins` adds the identity provider. Images may have any origin,
 * because the web app asks the user before it loads one from another origin.
 */
export function registerSecurityHeaders(
  app: FastifyInstance,
  {
    connectOrigins,
    usesHsts,
    hstsSubdomains = false,
  }: {
    /** Returns the same array object while its contents are unchanged. */
    readonly connectOrigins: () => readonly string[]
    /** Whether browsers must use https for this host from now on. */
    readonly usesHsts: boolean
    /** Whether browsers must use https for all subdomains too. */
    readonly hstsSubdomains?: boolean
  },
): void {
  // The headers are computed only when the origins change. Fastify's helmet plugin computes them for every response.
  let origins = connectOrigins()
  const hsts = usesHsts ? { maxAge: 31_536_000, includeSubDomains: hstsSubdomains } : false
  let headers = makeHeaders(origins, hsts)
  app.addHook('onRequest', async (request, reply) => {
    const current = connectOrigins()
    if (current !== origins) headers = makeHeaders(current, hsts)
    origins = current
    reply.headers(headers)
    // Responses with data of a user or with tokens must not stay in a cache. Routes may set another value.
    if (uncached.test(request.url)) reply.header('cache-control', 'no-store')
  })
}

function makeHeaders(
  connectOrigins: readonly string[],
  hsts: false | { readonly maxAge: number; readonly includeSubDomains: boolean },
) {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        // A file of a message needs the access token, so the page reads it and shows it from an address of its own.
        imgSrc: ["'self'", 'data:', 'blob:', 'https:', 'http:'],
        mediaSrc: ['blob:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", ...connectOrigins],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        // Only for the address of the service worker.
        trustedTypes: ['yonder-worker'],
      },
    },
    strictTransportSecurity: hsts,
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
