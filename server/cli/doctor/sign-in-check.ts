import { createHash, randomBytes } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { createHostedKeys, type Discovery } from '../../identity/hosted/hosted-provider.ts'
import { asymmetricAlgorithms, clockLeewaySeconds } from '../../identity/sessions/token-verifier.ts'
import { toVisibleLine } from '../../lib/text.ts'
import { maxRequestMs } from './address-check.ts'
import { reasonOf, reportUnchecked, type Check, type CheckContext, type Report } from './finding.ts'

/** The hosted provider of the sign-in, and Google, which the built-in provider, Gmail and Google Calendar use. */
export const signInCheck: Check = {
  name: 'sign-in',
  async run(context, report) {
    const { oidc, google } = context.config
    const isUnchecked = reportUnchecked(context, ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_AUDIENCE'], report)
    if (!isUnchecked && oidc !== null) await examineProvider(context, oidc, report)
    const googleSettings = ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET', 'GOOGLE_ISSUER']
    if (!reportUnchecked(context, googleSettings, report) && google !== null)
      await examineDiscovery(context, 'Google', google.issuer, report)
    return 'Users sign in with accounts of this server.'
  },
}

type Oidc = NonNullable<Config['oidc']>

async function examineProvider(context: CheckContext, oidc: Oidc, report: Report): Promise<void> {
  const { issuer, name, params } = oidc
  const { hostname } = new URL(issuer)
  if (hostname === 'accounts.google.com')
    return report.problem(
      'OIDC_ISSUER: Google gives browsers no access tokens that Yonder could verify. Unset OIDC_ISSUER, and set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
    )
  if (name === null && !hostname.endsWith('.auth0.com'))
    report.warning(
      `OIDC_PROVIDER_NAME is not set, so the button says 'Sign in with Google' at ${issuer}, and requests Google there (OIDC_GOOGLE_PARAMS).`,
    )
  if (hostname === 'login.microsoftonline.com' && params['scope'] === undefined)
    report.problem(
      'OIDC_PARAMS: without the scope of your API, Entra issues access tokens for Graph only. Set OIDC_PARAMS=scope=api://<API id>/<scope>.',
    )
  if (hostname === 'login.microsoftonline.com' && oidc.audience.startsWith('api://'))
    report.problem('OIDC_AUDIENCE: access tokens of Entra v2.0 have the id of the API, without api://.')
  const discovery = await examineDiscovery(context, 'OIDC_ISSUER', issuer, report)
  if (discovery === undefined) return
  examineMetadata(discovery, report)
  await examineAuthorization(context, oidc, discovery, report)
  await examineTokenEndpoint(context, oidc, discovery, report)
  const { userinfo_endpoint: userinfo } = discovery
  if (userinfo !== undefined)
    await send(context, userinfo).catch((error: unknown) =>
      report.warning(
        `The userinfo endpoint ${userinfo} cannot be reached, so names may be missing. ${reasonOf(error)}`,
      ),
    )
}

/** Reads the discovery document and the keys, and compares the clocks. Returns undefined when there is none. */
async function examineDiscovery(
  { guards, now }: CheckContext,
  setting: string,
  issuer: string,
  report: Report,
): Promise<Discovery | undefined> {
  const guard = guards.operatorSupplied
  try {
    const discovery = await createHostedKeys(issuer, guard).discover()
    const { jwks_uri } = discovery
    const response = await guard.fetch(jwks_uri, { signal: AbortSignal.timeout(maxRequestMs) })
    const body: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
    const keys = (body as { keys?: unknown } | null | undefined)?.keys
    if (!response.ok)
      report.problem(`${setting}: the keys at ${jwks_uri} cannot be read (status ${response.status}).`)
    else if (!Array.isArray(keys) || !keys.some(isUsable))
      report.problem(
        `${setting}: ${jwks_uri} has no key for an asymmetric signature. Choose a signing key at the provider.`,
      )
    else report.ok(`${setting}: ${issuer} responds.`)
    examineClock(response.headers.get('date'), now(), report)
    return discovery
  } catch (error) {
    report.problem(`${setting}: ${issuer} cannot be used. ${reasonOf(error)}`)
    return undefined
  }
}

function isUsable(key: unknown): boolean {
  const { kty, use } = (key ?? {}) as { kty?: unknown; use?: unknown }
  return ['RSA', 'EC', 'OKP'].includes(String(kty)) && use !== 'enc'
}

function examineClock(date: string | null, now: number, report: Report): void {
  const seconds = Math.round(Math.abs(Date.parse(date ?? '') - now) / 1_000)
  // The header has whole seconds, and the response took some time.
  if (Number.isNaN(seconds) || seconds < clockLeewaySeconds / 2) return
  report[seconds < clockLeewaySeconds ? 'warning' : 'problem'](
    `The clocks of this machine and of the provider differ by ${seconds} s. Tokens are accepted within ${clockLeewaySeconds} s. Set the clock.`,
  )
}

function examineMetadata(discovery: Discovery, report: Report): void {
  const {
    id_token_signing_alg_values_supported: algorithms,
    scopes_supported: scopes,
    code_challenge_methods_supported: challenges,
  } = discovery
  if (algorithms !== undefined && !algorithms.some((one) => asymmetricAlgorithms.includes(one)))
    report.problem(
      `The provider signs ID tokens with ${algorithms.join(', ')} only. Choose a signing key at the provider, such as RS256 or ES256.`,
    )
  if (scopes !== undefined && !scopes.includes('offline_access'))
    report.warning(
      'The provider does not list the scope offline_access, so users may have to sign in again whenever an access token expires.',
    )
  if (challenges !== undefined && !challenges.includes('S256'))
    report.problem('The provider does not list the PKCE method S256, which Yonder uses.')
}

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** Sends a request without following redirects. The length of the body is limited by the guard. */
async function send(
  { guards }: CheckContext,
  address: string,
  options: { readonly body?: URLSearchParams; readonly origin?: string } = {},
): Promise<Received> {
  const guard: GuardedFetch = guards.operatorSupplied
  const { origin, pathname, search } = guard.requireUrl(address)
  const { statusCode, headers, body } = await guard.dispatcher.request({
    origin,
    path: pathname + search,
    method: options.body === undefined ? 'GET' : 'POST',
    headers: {
      accept: options.body === undefined ? 'text/html' : 'application/json',
      ...(options.origin === undefined ? {} : { origin: options.origin }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(options.body === undefined ? {} : { body: options.body.toString() }),
    signal: AbortSignal.timeout(maxRequestMs),
  })
  return { status: statusCode, headers, body: await body.text() }
}

/** Asks for a sign-in that may show no page, as a browser without a session would. */
async function examineAuthorization(
  context: CheckContext,
  { clientId, audience, params }: Oidc,
  { authorization_endpoint: endpoint }: Discovery,
  report: Report,
): Promise<void> {
  if (endpoint === undefined) return report.problem('The discovery document names no authorization_endpoint.')
  const redirectUri = `${context.config.publicUrl}/`
  const { scope = '', ...others } = params
  const address = new URL(endpoint)
  for (const [name, value] of Object.entries({
    ...others,
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: `openid profile email offline_access ${scope}`.trim(),
    state: 'yonder-doctor',
    nonce: 'yonder-doctor',
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
    audience,
    prompt: 'none',
  }))
    address.searchParams.set(name, value)
  try {
    const { status, headers, body } = await send(context, address.href)
    const location = URL.parse(String(headers['location'] ?? ''), endpoint)
    const error = location?.searchParams.get('error') ?? null
    const description = location?.searchParams.get('error_description') ?? readEntraError(body)
    // The provider knows client and redirect address, and says that nobody is signed in.
    const isFine = error === null || /^(login|interaction|consent|account_selection)_required$/.test(error)
    if (location !== null && location.href.startsWith(redirectUri)) {
      if (!isFine)
        report.problem(
          `The provider refuses a sign-in: ${quote(error, description)}. Check the client ${clientId} there (OIDC_CLIENT_ID), its scopes and OIDC_PARAMS.`,
        )
    } else if (status >= 400 || error !== null || description !== null)
      report.problem(
        `The provider refuses the client ${clientId} (OIDC_CLIENT_ID) or the redirect address ${redirectUri} (status ${status}${error === null && description === null ? '' : `, ${quote(error, description)}`}). Register both there.`,
      )
  } catch (error) {
    report.problem(`The authorization endpoint ${endpoint} cannot be reached. ${reasonOf(error)}`)
  }
}

/** Entra answers wrong requests with a page that contains the error. */
function readEntraError(body: string): string | null {
  return /AADSTS\d+: [^"'<\\]{1,200}/.exec(body)?.[0] ?? null
}

/** Sends a code that does not exist, as a browser on our origin would. */
async function examineTokenEndpoint(
  context: CheckContext,
  { clientId }: Oidc,
  { token_endpoint: endpoint }: Discovery,
  report: Report,
): Promise<void> {
  if (endpoint === undefined) return report.problem('The discovery document names no token_endpoint.')
  const { publicUrl } = context.config
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'yonder-doctor',
    redirect_uri: `${publicUrl}/`,
    client_id: clientId,
    code_verifier: randomBytes(32).toString('base64url'),
  })
  try {
    const received = await send(context, endpoint, { body, origin: publicUrl })
    const { error, error_description: description } = readOAuthError(received.body)
    if (error === 'invalid_client' || error === 'unauthorized_client')
      report.problem(
        `The provider refuses the client ${clientId} (OIDC_CLIENT_ID): ${quote(error, description)}. Register it there as a public client, without a secret.`,
      )
    const allowed = received.headers['access-control-allow-origin']
    if (allowed !== '*' && allowed !== publicUrl)
      report.problem(
        `The token endpoint ${endpoint} does not allow requests from ${publicUrl} (CORS), so browsers cannot sign in. Register Yonder there as a single-page application, and ${publicUrl} as an allowed origin.`,
      )
  } catch (error) {
    report.problem(`The token endpoint ${endpoint} cannot be reached. ${reasonOf(error)}`)
  }
}

function readOAuthError(body: string): {
  readonly error: string | null
  readonly error_description: string | null
} {
  const none = { error: null, error_description: null }
  try {
    return { ...none, ...(JSON.parse(body) as object) }
  } catch {
    return none
  }
}

function quote(error: string | null, description: string | null): string {
  return toVisibleLine([error, description].filter((text) => text !== null).join(': ')).slice(0, 300)
}
