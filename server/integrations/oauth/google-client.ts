import type { GoogleIntegration } from '@yonder/contract/integration-names'
import { serviceOfIntegration } from '@yonder/contract/integration-names'
import * as openid from 'openid-client'
import type { Config } from '../../config/config.ts'
import { readCapped } from '../../lib/read-capped.ts'
import { explainTokenFailure, isEndedGrant } from './explain-token-failure.ts'
import { googleScopes } from './google-scopes.ts'

/** Seconds that Google may take for a whole answer. */
const longestAnswer = 10
/** Bytes of an answer. */
const mostBytes = 64 * 1024
/** Seconds that an access token is believed to live when Google does not say. */
const assumedLife = 600

/** What Google gives for a code or a refresh token. */
export interface GoogleTokens {
  readonly accessToken: string
  readonly refreshToken: string | null
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  readonly scopes: readonly string[]
}

export interface GoogleClient {
  /** The page where a person gives their consent. */
  authorizationUrl(name: GoogleIntegration, state: string, challenge: string): string
  /** @throws AppError that says what is wrong */
  redeemCode(name: GoogleIntegration, code: string, verifier: string): Promise<GoogleTokens>
  /**
   * New tokens for a refresh token; undefined when Google has ended what it stands for.
   * @throws AppError that says what is wrong
   */
  renewTokens(name: GoogleIntegration, refreshToken: string): Promise<GoogleTokens | undefined>
  /** Ends what a token stands for. Rejects when Google does not do that. */
  revokeToken(token: string): Promise<void>
}

export interface GoogleClientOptions {
  readonly google: NonNullable<Config['google']>
  readonly apis: Config['googleApis']
  /** The origin people use, without a path. */
  readonly publicUrl: string
  /** The way out to addresses from the settings. */
  readonly fetch: typeof globalThis.fetch
  /** Aborted when the process goes down. */
  readonly closing: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Seconds that Google may take for a whole answer. */
  readonly timeout?: number
}

/** Us as a client that Google's console knows: a code with PKCE, and a refresh token, since replies go on without a browser. */
export function createGoogleClient(options: GoogleClientOptions): GoogleClient {
  const { publicUrl, now } = options
  const configuration = configure(options)
  const redirectUrl = (name: GoogleIntegration): string =>
    `${publicUrl}/callback/${serviceOfIntegration(name)}`
  const scopesOf = (name: GoogleIntegration): string => googleScopes[name].map(({ scope }) => scope).join(' ')

  function read(name: GoogleIntegration, answer: openid.TokenEndpointResponse): GoogleTokens {
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token ?? null,
      expiresAt: now() + (answer.expires_in ?? assumedLife) * 1_000,
      // Who does not say what was granted has granted what was asked for.
      scopes: (answer.scope ?? scopesOf(name)).split(' ').filter((scope) => scope !== ''),
    }
  }

  return {
    authorizationUrl: (name, state, challenge) =>
      openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl(name),
        scope: scopesOf(name),
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        // Without these two there is no refresh token.
        access_type: 'offline',
        prompt: 'consent',
      }).href,
    async redeemCode(name, code, verifier) {
      const returned = new URL(redirectUrl(name))
      returned.searchParams.set('code', code)
      try {
        const answer = await openid.authorizationCodeGrant(configuration, returned, {
          pkceCodeVerifier: verifier,
        })
        return read(name, answer)
      } catch (error) {
        throw explainTokenFailure(error, redirectUrl(name))
      }
    },
    async renewTokens(name, refreshToken) {
      try {
        return read(name, await openid.refreshTokenGrant(configuration, refreshToken))
      } catch (error) {
        if (isEndedGrant(error)) return undefined
        throw explainTokenFailure(error, redirectUrl(name))
      }
    },
    revokeToken: (token) => openid.tokenRevocation(configuration, token),
  }
}

function configure(options: GoogleClientOptions): openid.Configuration {
  const { google, apis, closing, timeout = longestAnswer } = options
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
  configuration.timeout = timeout
  if ([apis.tokenUrl, apis.revokeUrl].some((url) => url.startsWith('http:')))
    openid.allowInsecureRequests(configuration)
  configuration[openid.customFetch] = async (address, { body, headers, signal }) => {
    const ends = signal === undefined ? closing : AbortSignal.any([signal, closing])
    const answer = await options.fetch(address, {
      method: 'POST',
      headers,
      body: body instanceof URLSearchParams ? body.toString() : null,
      signal: ends,
    })
    // Here, so that the deadline holds for the body too.
    const text = await readCapped(answer, mostBytes)
    return new Response(text, { status: answer.status, headers: answer.headers })
  }
  return configuration
}
