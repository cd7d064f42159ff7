import type { FastifyInstance } from 'fastify'
import type * as Library from 'oidc-provider'
import type Provider from 'oidc-provider'
import { configureProvider } from './provider-configuration.ts'
import type { ProviderOptions } from './provider-configuration.ts'

/** What the library prints on Node 20, where everything used here is tested. */
const runtimeNotice = 'Unsupported runtime'

/** Loads the provider only where it is used: it costs a tenth of a second and 17 MB. */
export async function loadProvider(): Promise<typeof Library> {
  // The library has no switch for its notice; every other warning passes.
  // oxlint-disable no-console
  const warn = console.warn
  console.warn = (...parts: unknown[]) => {
    if (!String(parts[0]).includes(runtimeNotice)) warn(...parts)
  }
  try {
    return await import('oidc-provider')
  } finally {
    console.warn = warn
  }
  // oxlint-enable no-console
}

/** The embedded OpenID provider, with one public client: our own browser app. */
export async function createProvider(options: ProviderOptions): Promise<Provider> {
  const { issuer, revokeGrant } = options
  const library = await loadProvider()
  const provider = new library.Provider(issuer, configureProvider(options, library))
  // Addresses and cookies follow the issuer, also behind a proxy: `mountProvider` sets the forwarded headers.
  provider.proxy = true
  // Signing out ends the session's sign-ins before the answer is sent.
  const endings = new WeakMap<object, Promise<unknown>>()
  provider.on('end_session.success', (ctx) => {
    const { authorizations = {} } = ctx.oidc.session ?? {}
    const grantIds = Object.values(authorizations).flatMap(({ grantId }) => grantId ?? [])
    endings.set(ctx.req, Promise.all(grantIds.map(revokeGrant)))
  })
  provider.use(async (ctx, next) => {
    await next()
    await endings.get(ctx.req)
  })
  return provider
}

/**
 * Serves the provider under the path of its issuer. What it builds from the request (addresses in its discovery
 * document, secure cookies) depends on the issuer only, not on the request's headers.
 */
export async function mountProvider(app: FastifyInstance, provider: Provider): Promise<void> {
  const { pathname, host, protocol } = new URL(provider.issuer)
  const handle = provider.callback()
  await app.register(async (scope) => {
    // The provider reads its own bodies.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => {
      done(null)
    })
    scope.all(`${pathname}/*`, async (request, reply) => {
      const { raw: req } = request
      const { raw: res } = reply
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) res.setHeader(name, value)
      }
      reply.hijack()
      const path = req.url ?? '/'
      Object.assign(req, { originalUrl: path, url: path.slice(pathname.length) || '/' })
      req.headers.host = host
      delete req.headers['x-forwarded-host']
      req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
      await handle(req, res)
    })
  })
  provider.on('server_error', (_ctx, error) => {
    app.log.error({ err: error }, 'the identity provider failed')
  })
}
