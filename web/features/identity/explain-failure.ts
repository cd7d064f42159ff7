import { ProviderUnreachableError } from '../../lib/api/sign-in-requests.ts'

/** Why a sign-in failed, for the user and for the log. It never contains a token. */
export interface SignInProblem {
  /** One sentence. */
  readonly sentence: string
  /** What was compared, such as the claim `aud` or the setting `alg` of a signature. */
  readonly claim?: string
  readonly expected?: string
  readonly received?: string
}

/** What the errors of the OpenID library have. Their `cause` may have tokens, so it is never shown or logged whole. */
interface LibraryError {
  readonly code?: string
  readonly message: string
  readonly error?: string
  readonly error_description?: string
  readonly cause?: unknown
}

type Details = Readonly<Record<string, unknown>> & {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

const minuteMs = 60_000

/** Explains an error of the sign-in or of a refresh. `now` is in milliseconds since 1970. */
export function explainFailure(error: unknown, now = Date.now()): SignInProblem {
  if (error instanceof ProviderUnreachableError) return explainUnreachable(error)
  const { code, message, error: oauthError, error_description, cause } = error as LibraryError
  if (oauthError !== undefined) return explainRefusal(oauthError, error_description)
  if (code === 'OAUTH_TIMEOUT') return { sentence: 'The sign-in provider did not respond within 10 seconds.' }
  if (cause instanceof Response)
    return {
      sentence: `The sign-in provider sent a response that cannot be used (status ${cause.status}, from ${placeOf(cause.url)}).`,
      claim: code === 'OAUTH_RESPONSE_IS_NOT_JSON' ? 'content-type' : 'status',
      received: `${cause.status} ${cause.headers.get('content-type') ?? ''}`.trim(),
    }
  const inner = (cause ?? error) as LibraryError
  const reason = inner.message ?? message
  if (/JWE/.test(reason))
    return {
      sentence:
        'The provider encrypts its ID tokens, which Yonder does not support: turn the encryption off there.',
    }
  const details = (isObject(inner.cause) ? inner.cause : isObject(cause) ? cause : {}) as Details
  if (code === 'OAUTH_KEY_SELECTION_FAILED') return explainKey(details)
  if (/"alg"/.test(reason)) return explainAlgorithm(details)
  if (/"state"|"iss" \(issuer\) response|parameter "iss"/.test(reason))
    return { sentence: 'The response does not belong to this sign-in: sign in again from this page.' }
  if (/signature/.test(reason))
    return { sentence: 'The signature of the ID token is wrong, so it may not be from the provider.' }
  if (/"id_token"/.test(reason))
    return { sentence: 'The provider returned no ID token: allow the scope "openid" for this client there.' }
  if (details['attribute'] === 'issuer') return explainIssuer(details['expected'], details.body?.['issuer'])
  const claim = /"(\w+)" \([a-z ]+\)/.exec(reason)?.[1] ?? toText(details['claim'])
  if (claim !== undefined && details.claims !== undefined) return explainClaim(claim, details, now)
  if (code !== undefined)
    return { sentence: `The response of the sign-in provider cannot be used (${reason}).`, received: code }
  return { sentence: error instanceof Error ? error.message : String(error) }
}

function explainUnreachable({ url }: ProviderUnreachableError): SignInProblem {
  return {
    sentence: navigator.onLine
      ? `This browser could not read an answer from ${placeOf(url)}: the provider is not reachable from here, or does not allow requests from ${location.origin} (CORS; register Yonder there as a single-page application).`
      : 'You are offline.',
    claim: 'address',
    received: placeOf(url),
  }
}

/** An error that the provider has returned by the standard. */
function explainRefusal(error: string, description: string | undefined): SignInProblem {
  const said = clean(description ?? '')
  const name = clean(error)
  const advice = /^(invalid_client|unauthorized_client)$/.test(error)
    ? '; register Yonder there as a public client, without a secret'
    : ''
  return {
    sentence: `The sign-in provider refused: ${said === '' ? name : `“${said}” (${name})`}${advice}.`,
    claim: 'error',
    received: said === '' ? name : `${name}: ${said}`,
  }
}

function explainKey({ header = {}, candidates }: Details): SignInProblem {
  const signed = `${toText(header['alg'])}, kid ${toText(header['kid']) ?? 'none'}`
  return Array.isArray(candidates) && candidates.length > 1
    ? {
        sentence: `Several keys of the provider fit the ID token (${signed}): let the provider name the key in its tokens.`,
        claim: 'kid',
        expected: 'one key',
        received: `${candidates.length} keys`,
      }
    : {
        sentence: `The ID token is signed with a key that the provider does not publish (${signed}).`,
        claim: 'kid',
        expected: 'a published key',
        received: signed,
      }
}

function explainAlgorithm({ header, alg, expected }: Details): SignInProblem {
  const received = toText(header?.['alg'] ?? alg) ?? 'none'
  return {
    sentence: received.startsWith('HS')
      ? `The provider signs ID tokens with ${received}, for which Yonder would need a secret: choose a signing key there, such as RS256 or ES256.`
      : `The ID token is signed with ${received}, which the provider does not list or Yonder does not accept.`,
    claim: 'alg',
    expected: toText(expected) ?? 'an asymmetric algorithm',
    received,
  }
}

function explainIssuer(expected: unknown, received: unknown): SignInProblem {
  return {
    sentence: `The provider calls itself ${toText(received)}, and OIDC_ISSUER of this server is ${toText(expected)}.`,
    claim: 'issuer',
    expected: toText(expected) ?? '',
    received: toText(received) ?? '',
  }
}

function explainClaim(claim: string, { claims = {}, expected }: Details, now: number): SignInProblem {
  const received = toText(claims[claim]) ?? 'nothing'
  const issuedAt = Number(claims['iat']) * 1000
  switch (claim) {
    case 'exp':
    case 'nbf':
    case 'iat': {
      if (claims[claim] === undefined) break
      const nearest = claim === 'nbf' ? Number(claims['nbf']) * 1000 : issuedAt
      const minutes = Math.max(1, Math.round(Math.abs(now - nearest) / minuteMs))
      return {
        sentence: `The clock of this device and that of the provider differ by about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}: set the clock, then sign in again.`,
        claim,
        expected: `valid at ${new Date(now).toISOString()}`,
        received: `${claim} ${received}, iat ${toText(claims['iat'])}`,
      }
    }
    case 'aud':
      return {
        sentence: `The ID token is for the client ${received}, and OIDC_CLIENT_ID of this server is ${toText(expected) ?? 'another one'}.`,
        claim,
        expected: toText(expected) ?? 'only our client id, or also azp',
        received,
      }
    case 'iss':
      return { ...explainIssuer(expected, claims['iss']), claim }
  }
  return {
    sentence: `The claim "${claim}" of the ID token is ${claims[claim] === undefined ? 'missing' : 'wrong'}.`,
    claim,
    // A nonce is a secret of this browser.
    ...(claim === 'nonce' || expected === undefined ? {} : { expected: toText(expected) ?? '' }),
    ...(claim === 'nonce' ? {} : { received }),
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const maxTextChars = 300

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return clean(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Text of another server in one line, and cut. */
function clean(text: string): string {
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim()
  return line.length > maxTextChars ? `${line.slice(0, maxTextChars)}…` : line.replace(/\.$/, '')
}

function placeOf(url: string): string {
  const { origin, pathname } = new URL(url, location.origin)
  return origin + pathname
}
