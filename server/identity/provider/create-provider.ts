import type Provider from 'oidc-provider'
import { loadProvider } from './load-provider.ts'
import { configureProvider } from './provider-configuration.ts'
import type { ProviderOptions } from './provider-configuration.ts'

/** The embedded OpenID provider, with one public client: our own browser app. */
export async function createProvider(options: ProviderOptions): Promise<Provider> {
  const { issuer, endSignIn } = options
  const library = await loadProvider()
  const provider = new library.Provider(issuer, configureProvider(options, library))
  // Behind a proxy too, addresses and cookies follow the issuer; `mountProvider` sets the headers that say so.
  provider.proxy = true
  // Signing out ends the session's sign-ins before the answer is sent.
  const endings = new WeakMap<object, Promise<unknown>>()
  provider.on('end_session.success', (ctx) => {
    const { authorizations = {} } = ctx.oidc.session ?? {}
    const grantIds = Object.values(authorizations).flatMap(({ grantId }) => grantId ?? [])
    endings.set(ctx.req, Promise.all(grantIds.map(endSignIn)))
  })
  provider.use(async (ctx, next) => {
    await next()
    await endings.get(ctx.req)
  })
  return provider
}
