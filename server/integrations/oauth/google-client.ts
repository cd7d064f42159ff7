import type { ErrorCode } from '@yonder/contract/error'
import { type GoogleIntegration, serviceOfIntegration } from '@yonder/contract/integration-names'
import * as openid from 'openid-client'
import type { Config } from '../../config/config.ts'
import { isNetworkFailure } from '../../http/outgoing/network-failure.ts'
import { isTimeoutError, withTimeout } from '../../lib/abort.ts'
import { AppError, listCauses } from '../../lib/app-error.ts'
import { readErrorCode } from '../../lib/quote-server.ts'
import { readCapped } from '../../lib/read-capped.ts'
import { isHeaderSecret } from '../../lib/text.ts'
import { googleScopes } from './scopes.ts'

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

/**
 * Whether a refresh failed because Google has ended the consent: it was revoked, has expired, or is for another
 * client.
 */
function isEndedConsent(error: unknown): boolean {
  return (
    error instanceof openid.ResponseBodyError &&
    ['invalid_grant', 'unauthorized_client'].includes(error.error)
  )
}

/**
 * Returns the error that explains to the user why Google returned no tokens. `redirectUrl` is the address that the
 * operator must register at Google.
 */
function explainTokenFailure(error: unknown, redirectUrl: string): AppError {
  const explain = (code: ErrorCode, message: string) =>
    new AppError(code, message, { cause: toLoggedCause(error) })
  if (error instanceof openid.ResponseBodyError) {
    switch (error.error) {
      case 'invalid_grant':
        return explain(
          'conflict',
          'Google did not accept this sign-in, because it is too old or was already used. Connect again.',
        )
      case 'invalid_client':
      case 'unauthorized_client':
        return explain(
          'upstream_refused_key',
          'Google refused the credentials of this server. Ask its operator to check GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
        )
      case 'redirect_uri_mismatch':
        return explain(
          'upstream_refused_key',
          `Google refused the redirect address of this server. Ask its operator to add ${redirectUrl} to the OAuth client in the Google Cloud console.`,
        )
      default:
        return explain('upstream_error', describeRefusal(error.error))
    }
  }
  for (const cause of listCauses(error)) {
    if (cause instanceof AppError)
      return explain(cause.code, `The response from Google cannot be used. ${cause.message}`)
    if (isTimeoutError(cause))
      return explain('upstream_timeout', 'Google did not respond in time. Try again later.')
  }
  if ((findUnexpectedResponse(error)?.status ?? 0) >= 500) {
    return explain('upstream_error', 'Google had an internal error. Try again later.')
  }
  if (error instanceof openid.ClientError && error.code?.startsWith('OAUTH_') === true) {
    return explain('upstream_invalid', 'Google sent an unexpected response. Try again later.')
  }
  return listCauses(error).some(isNetworkFailure)
    ? explain('upstream_unreachable', 'Google cannot be reached. Try again later.')
    : explain('upstream_invalid', 'Google sent an unexpected response. Try again later.')
}

/** Returns a response of Google that has neither tokens nor an OAuth error, such as one with a status from 500 on. */
function findUnexpectedResponse(error: unknown): Response | undefined {
  return error instanceof openid.ClientError && error.cause instanceof Response ? error.cause : undefined
}

/**
 * Adds the status and the error code of a response, which the log would not contain otherwise. Nothing else of the
 * response is added, because it may contain secrets.
 */
function toLoggedCause(error: unknown): unknown {
  const withCause = (message: string) => new Error(message, { cause: error })
  if (error instanceof openid.ResponseBodyError) {
    const code = readErrorCode(error.error) ?? 'not a valid error code'
    return withCause(`Google responded with status ${error.status}. Its error: ${code}.`)
  }
  const response = findUnexpectedResponse(error)
  return response === undefined ? error : withCause(`Google responded with status ${response.status}.`)
}

function describeRefusal(error: string): string {
  const code = readErrorCode(error)
  const named = code === undefined ? '' : ` (${code})`
  return `Google refused the request of this server${named}. Try again later. If it fails again, ask the operator of this server to check its OAuth client in the Google Cloud console.`
}
