import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'

/**
 * The headers of every page. Scripts, styles and connections come from here alone; `connectOrigins` adds the identity
 * provider. Images may come from elsewhere, since the page asks a person before it names one.
 */
export function registerSecurityHeaders(
  app: FastifyInstance,
  { connectOrigins, https }: { readonly connectOrigins: readonly string[]; readonly https: boolean },
): void {
  // Made once: Fastify's own plugin for it puts the policy together anew for each request.
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
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.setHeader('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=()')
    setHeaders(request.raw, reply.raw, () => done())
  })
}
