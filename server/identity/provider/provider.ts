import { createHmac } from 'node:crypto'
import type * as Library from 'oidc-provider'
import type Provider from 'oidc-provider'
import { keepResult } from '../../lib/keep-result.ts'
import type { SigningKey } from './identity-keys.ts'
import { configureProvider, type ProviderOptions } from './provider-configuration.ts'

export type LazyProvider = ReturnType<typeof createProvider>

/**
 * The embedded OpenID provider, with one public client: our own browser app. Its library takes a tenth of a second and
 * 17 MB, so it is loaded with the first request to the provider, such as a sign-in or a refresh of tokens.
 */
export function createProvider(options: ProviderOptions) {
  const loadLibrary = keepResult(() => import('oidc-provider'))
  let current: { readonly signingKeys: readonly SigningKey[]; readonly provider: Provider } | undefined
  return {
    issuer: options.issuer,
    /**
     * Returns a provider with the signing keys that are stored now: the same one until they change. Requests
     * that an earlier one has begun to handle are not affected.
     */
    async load(): Promise<Provider> {
      const library = await loadLibrary()
      const signingKeys = await options.keys.signing.read()
      if (current?.signingKeys !== signingKeys) {
        current = { signingKeys, provider: openProvider(options, signingKeys, library) }
      }
      return current.provider
    },
  }
}

/** The library copies the signing keys, so other keys need another provider. */
function openProvider(
  options: ProviderOptions,
  signingKeys: readonly SigningKey[],
  library: typeof Library,
): Provider {
  const { issuer, revokeGrant } = options
  const jwks = { keys: signingKeys.map(({ iat: _iat, ...key }) => key) }
  const provider = new library.Provider(issuer, { ...configureProvider(options, library), jwks })
  deriveRefreshTokens(provider, library, options.keys.refresh)
  // `mountProvider` sets `x-forwarded-proto` from the issuer and removes `x-forwarded-host`, so neither comes from
  // the client.
  provider.proxy = true
  // The grants of the session are revoked before the response to a sign-out is sent.
  const revocations = new WeakMap<object, Promise<unknown>>()
  provider.on('end_session.success', (ctx) => {
    const { authorizations = {} } = ctx.oidc.session ?? {}
    const grantIds = Object.values(authorizations).flatMap(({ grantId }) => grantId ?? [])
    revocations.set(ctx.req, Promise.all(grantIds.map(revokeGrant)))
  })
  provider.use(async (ctx, next) => {
    await next()
    await revocations.get(ctx.req)
  })
  return provider
}

interface TokenWithId {
  generateTokenId(): string
}

/**
 * Derives each refresh token, whose id is the token itself, from the one that it replaces. When a token is used twice
 * within the overlap, by two tabs or after a lost response, both responses then contain the same next token.
 * Without the key, the next token cannot be computed from the old one. The library has no setting for this.
 */
function deriveRefreshTokens(provider: Provider, library: typeof Library, key: string): void {
  const prototype = provider.RefreshToken.prototype as unknown as TokenWithId
  const generateTokenId = prototype.generateTokenId
  prototype.generateTokenId = function (this: TokenWithId) {
    const previous = library.Provider.ctx?.oidc.entities.RotatedRefreshToken
    return previous === undefined
      ? generateTokenId.call(this)
      : createHmac('sha256', key).update(previous.jti).digest('base64url')
  }
}
