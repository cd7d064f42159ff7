import { type GoogleIntegration, serviceOfIntegration } from '@yonder/contract/integration-names'
import * as openid from 'openid-client'
import type { Config } from '../../config/config.ts'
import { withTimeout } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { readCapped } from '../../lib/read-capped.ts'
import { isHeaderSecret } from '../../lib/text.ts'
import { googleScopes } from './scopes.ts'
import { explainTokenFailure, isEndedConsent } from './token-errors.ts'

const responseTimeoutMs = 10_000
const maxResponseBytes = 64 * 1024
/** The lifetime of an access token when Google's response has no `expires_in`. */
const defaultLifetimeSeconds = 600

/** Google's response to a code or a refresh token. */
export interface GoogleTokens {
  readonly accessToken: string
  /** Null when Google returned none. After a refresh, the former one then stays valid. */
  readonly refreshToken: string | null
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** The granted scopes. */
  readonly scopes: readonly string[]
}

export type GoogleClient = ReturnType<typeof createGoogleClient>

export interface GoogleClientOptions {
  readonly google: NonNullable<Config['google']>
  readonly apis: Config['googleApis']
  /** The origin of the installation, without a path. */
  readonly publicUrl: string
  /** The outgoing fetch for addresses from the operator's settings. */
  readonly fetch: typeof globalThis.fetch
  /** Aborted when the process stops. */
  readonly closing: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The longest time until a response has arrived completely. Default: 10 seconds. */
  readonly timeoutMs?: number
}

/**
 * Creates our OAuth client for Google. It uses the authorization code flow with PKCE and requests a refresh token,
 * because replies continue when the browser is closed.
 */
export function createGoogleClient(options: GoogleClientOptions) {
  const { publicUrl, now } = options
  const configuration = configure(options)
  const redirectUrl = (name: GoogleIntegration): string =>
    `${publicUrl}/callback/${serviceOfIntegration(name)}`
  const requestedScopes = (name: GoogleIntegration): string[] => googleScopes[name].map(({ scope }) => scope)

  /** `expectedScopes` are granted when the response names none (RFC 6749, sections 5.1 and 6). */
  function parse(response: openid.TokenEndpointResponse, expectedScopes: readonly string[]): GoogleTokens {
    if (!isHeaderSecret(response.access_token)) {
      // `explainTokenFailure` puts "The response from Google cannot be used." before this message.
      throw new AppError(
        'upstream_invalid',
        'Its access token contains a space, a line break or another character that no request can carry. Connect again.',
      )
    }
    return {
      accessToken: response.access_token,
      refreshToken: response.refresh_token ?? null,
      expiresAt: now() + (response.expires_in ?? defaultLifetimeSeconds) * 1_000,
      scopes: response.scope?.split(' ').filter((scope) => scope !== '') ?? expectedScopes,
    }
  }

  return {
    /** Returns the address of the consent page. `challenge` is the PKCE code challenge. */
    authorizationUrl: (name: GoogleIntegration, state: string, challenge: string): string =>
      openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl(name),
        scope: requestedScopes(name).join(' '),
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        // Google returns a refresh token only for offline access, and without `prompt` only after the first consent.
        access_type: 'offline',
        prompt: 'consent',
      }).href,
    /**
     * Exchanges an authorization code for tokens. `verifier` is the PKCE code verifier.
     * @throws AppError that explains the failure to the user
     */
    async redeemCode(name: GoogleIntegration, code: string, verifier: string): Promise<GoogleTokens> {
      const returned = new URL(redirectUrl(name))
      returned.searchParams.set('code', code)
      try {
        const response = await openid.authorizationCodeGrant(configuration, returned, {
          pkceCodeVerifier: verifier,
        })
        return parse(response, requestedScopes(name))
      } catch (error) {
        throw explainTokenFailure(error, redirectUrl(name))
      }
    },
    /**
     * Returns new tokens, or undefined when Google has ended the consent. `grantedScopes` are those of the former tokens.
     * @throws AppError that explains the failure to the user
     */
    async refreshTokens(
      name: GoogleIntegration,
      refreshToken: string,
      grantedScopes: readonly string[],
    ): Promise<GoogleTokens | undefined> {
      try {
        return parse(await openid.refreshTokenGrant(configuration, refreshToken), grantedScopes)
      } catch (error) {
        if (isEndedConsent(error)) return undefined
        throw explainTokenFailure(error, redirectUrl(name))
      }
    },
    /** Revokes the consent to which a token belongs. Rejects when Google does not confirm it. */
    revokeToken: (token: string): Promise<void> => openid.tokenRevocation(configuration, token),
  }
}

function configure(options: GoogleClientOptions): openid.Configuration {
  const { google, apis, closing, timeoutMs = responseTimeoutMs } = options
  const configuration = new openid.Configuration(
    {
      issuer: google.issuer,
      authorization_endpoint: apis.authUrl,
      token_endpoint: apis.tokenUrl,
      revocation_endpoint: apis.revokeUrl,
    },
    google.clientId,
    google.clientSecret,
  )
  // The time limit is that of `linkSignal`, not the library's.
  configuration.timeout = 0
  if ([apis.tokenUrl, apis.revokeUrl].some((url) => url.startsWith('http:')))
    openid.allowInsecureRequests(configuration)
  configuration[openid.customFetch] = (address, { body, headers }) =>
    withTimeout(closing, timeoutMs, async (signal) => {
      const response = await options.fetch(address, {
        method: 'POST',
        headers,
        body: body instanceof URLSearchParams ? body.toString() : null,
        signal,
      })
      // The body is read here, so that the timeout applies to it too.
      const text = await readCapped(response, maxResponseBytes)
      return new Response(text, { status: response.status, headers: response.headers })
    })
  return configuration
}
