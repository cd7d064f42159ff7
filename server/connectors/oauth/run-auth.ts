import {
  auth,
  InsecureTokenEndpointError,
  OAuthClientFlowError,
  OAuthError,
  type OAuthClientMetadata,
} from '@modelcontextprotocol/client'
import { RedirectRefused } from '../../http/outgoing/guarded-fetch.ts'
import { describeNetworkFailure, isNetworkFailure } from '../../http/outgoing/network-failure.ts'
import { isTimeoutError, withTimeout } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { hideSecrets, readAuthorization } from '../../lib/hide-secret.ts'
import { isObject, parseJson, toList, withoutNulls, type JsonObject } from '../../lib/json-object.ts'
import { quoteResponse, readErrorCode } from '../../lib/quote-server.ts'
import { readCapped } from '../../lib/read-capped.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { fetchByOrigin } from '../mcp/fetch-by-origin.ts'
import { noRegistration, type ConnectorOAuth } from './connector-oauth.ts'
import { discoverAuthorization } from './discover-authorization.ts'

export interface AuthStep {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
  /** Requests consent even when there are tokens, instead of refreshing them. */
  readonly forceReauthorization?: boolean
  readonly authorizationCode?: string
  /** The `iss` parameter with which the server redirected the user back. */
  readonly iss?: string | undefined
  /** The error for a server that has no authorization server at all. */
  readonly withoutOAuth?: AppError
}

type AuthDeps = Pick<ConnectorDeps, 'guards' | 'closing' | 'settings'>

/**
 * Runs a step of the SDK's OAuth flow with our storage. Returns `AUTHORIZED` when there are tokens, and `REDIRECT` when
 * the user has to consent. All requests are guarded, all responses have a size limit, and the whole step has a time
 * limit, because a server can make it consist of many requests.
 * @throws AppError that says which server failed and why, else what the SDK or our storage threw
 */
export async function runAuth(
  deps: AuthDeps,
  oauth: ConnectorOAuth,
  url: URL,
  { withoutOAuth, resourceMetadataUrl, ...step }: AuthStep,
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  return withTimeout(deps.closing, deps.settings.limits.maxAuthorizationMs, async (signal) => {
    const requests = new AuthRequests(deps, url, signal)
    let isGuessed = false
    if ((await oauth.discoveryState()) === undefined) {
      const found = await discoverAuthorization(url, resourceMetadataUrl, (at) => requests.readDocument(at))
      isGuessed = found.isGuessed
      oauth.saveDiscoveryState(found.state)
    }
    const { resourceMetadata } = (await oauth.discoveryState()) ?? {}
    try {
      const result = await auth(oauth, {
        ...withoutAbsent(step),
        // Whether this is the resource was checked when it was discovered, less strictly than the SDK would.
        serverUrl: resourceMetadata?.resource ?? url,
        fetchFn: (input, init) => requests.send(input, init),
      })
      // Without this, a refresh that failed because of the network would ask for another consent.
      if (result === 'REDIRECT' && step.forceReauthorization !== true && requests.failure !== undefined)
        throw requests.failure
      return result
    } catch (error) {
      if (isGuessed && requests.isRegistrationRefused && withoutOAuth !== undefined) throw withoutOAuth
      throw requests.explain(error)
    }
  })
}

/** The requests of one step, with what went wrong in them. */
class AuthRequests {
  /** A failure that may be gone later: of the network, or of the server itself. */
  failure: AppError | undefined
  isRegistrationRefused = false
  /** The first error that said why an authorization server refused, without the advice of a later one. */
  #refusal: AppError | undefined
  readonly #deps: AuthDeps
  readonly #sendGuarded: ReturnType<typeof fetchByOrigin>
  readonly #signal: AbortSignal

  constructor(deps: AuthDeps, url: URL, signal: AbortSignal) {
    this.#deps = deps
    this.#sendGuarded = fetchByOrigin(url, deps.guards)
    this.#signal = signal
  }

  /** Returns the JSON object at an address; undefined when there is none. */
  async readDocument(url: URL): Promise<JsonObject | undefined> {
    const { response, text } = await this.#request(url, { headers: { accept: 'application/json' } })
    const value = response.ok ? parseJson(text) : undefined
    return isObject(value) ? withoutNulls(value) : undefined
  }

  /** Sends a request of the SDK, and rewrites the response to what the standards say. */
  async send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input)
    // What we have not found, the SDK need not seek again.
    if (url.pathname.includes('/.well-known/')) return new Response(null, { status: 404 })
    const isToken = init.body instanceof URLSearchParams
    const { response, text } = await this.#request(url, { ...init, redirect: 'error' })
    const server = `The authorization server ${url.origin}`
    return isToken
      ? this.#readTokens(server, response, hideSecrets(text, listSecrets(init)))
      : this.#readRegistration(server, response, text, init)
  }

  /** Returns what to throw for an error of the SDK. */
  explain(error: unknown): unknown {
    if (error instanceof AppError) return error
    if (this.#refusal !== undefined) return this.#refusal
    if (this.failure !== undefined) return this.failure
    const fail = (message: string) => new AppError('upstream_invalid', message, { cause: error })
    if (error instanceof InsecureTokenEndpointError)
      return fail(
        'The authorization server requests secrets at an address without HTTPS, so nothing was sent. Ask those who run that server to correct it.',
      )
    if (error instanceof OAuthClientFlowError)
      return fail(
        'The answer did not come from the authorization server that was asked, so it was not used. Connect again, and if that happens again, ask those who run the server.',
      )
    if (error instanceof OAuthError)
      return fail('The authorization server did not respond as expected. Connect again.')
    return error
  }

  async #request(url: URL, init: RequestInit): Promise<{ response: Response; text: string }> {
    const { limits } = this.#deps.settings
    const server = `The authorization server ${url.origin}`
    try {
      // The body is read here, so that the time limits apply to it too.
      return await withTimeout(this.#signal, limits.maxOAuthRequestMs, async (signal) => {
        const response = await this.#sendGuarded(url, { ...init, signal })
        return { response, text: await readCapped(response, limits.maxOAuthBytes) }
      })
    } catch (error) {
      if (error instanceof RedirectRefused && init.method === 'POST') {
        const message = `${server} redirects a request that it should answer. Ask those who run that server to correct it.`
        throw new AppError('upstream_invalid', message, { cause: error })
      }
      if (isTimeoutError(error)) {
        const message = `${server} did not respond in time. Try again later.`
        throw (this.failure ??= new AppError('upstream_timeout', message, { cause: error }))
      }
      if (!isNetworkFailure(error)) throw error
      const { code, message } = describeNetworkFailure(error, server, false)
      throw (this.failure ??= new AppError(code, message, { cause: error }))
    }
  }

  #readRegistration(server: string, response: Response, text: string, init: RequestInit): Response {
    const { status, ok } = response
    const answer = ok ? parseJson(text) : undefined
    const { client_id, client_secret, token_endpoint_auth_method: method } = isObject(answer) ? answer : {}
    if (isFilled(client_id)) {
      const requested = parseJson(typeof init.body === 'string' ? init.body : '{}') as OAuthClientMetadata
      const secret = isFilled(client_secret) ? String(client_secret) : undefined
      const isUsable = typeof method === 'string' && (secret !== undefined || method === 'none')
      return Response.json({
        ...requested,
        client_id: String(client_id),
        client_secret: secret,
        token_endpoint_auth_method: isUsable ? method : undefined,
      })
    }
    this.isRegistrationRefused = true
    if (status === 404 || status === 405 || status === 501) throw noRegistration()
    const isBusy = status === 429 || status >= 500
    const problem = ok ? 'without a client id' : `with status ${status}`
    const advice = isBusy ? 'Try again later, or enter' : 'Enter'
    throw new AppError(
      isBusy ? 'upstream_error' : 'upstream_refused_key',
      `${server} answered the registration of a client ${problem}. ${advice} a client id under Advanced.${quoteResponse(text)}`,
    )
  }

  #readTokens(server: string, response: Response, text: string): Response {
    const { status, ok } = response
    const answer = readTokenAnswer(text)
    if (!ok || answer?.['error'] !== undefined) return this.#refuse(server, status, answer, text)
    const { access_token, token_type = 'Bearer', refresh_token, expires_in, scope, id_token } = answer ?? {}
    const fail = (problem: string) =>
      new AppError('upstream_invalid', `${server} ${problem} Ask those who run that server to correct it.`)
    if (typeof access_token !== 'string' || access_token === '')
      throw fail('answered the request for an access token without one.')
    const type = typeof token_type === 'string' ? token_type : 'another'
    if (type.toLowerCase() !== 'bearer')
      throw fail(`issued a token of the type "${type.slice(0, 50)}", but MCP uses bearer tokens only.`)
    const seconds = Number(expires_in)
    return Response.json({
      access_token,
      token_type: 'Bearer',
      refresh_token: isFilled(refresh_token) ? String(refresh_token) : undefined,
      // Servers whose tokens do not expire send 0, among other things.
      expires_in: seconds > 0 && Number.isFinite(seconds) ? seconds : undefined,
      scope: toList(scope)?.join(' ') || undefined,
      id_token: typeof id_token === 'string' ? id_token : undefined,
    })
  }

  /**
   * Returns an error with nothing but its code. The SDK writes the text of errors into the log, and the text can repeat
   * secrets that were sent to the server.
   */
  #refuse(server: string, status: number, answer: JsonObject | undefined, text: string): Response {
    const code = readErrorCode(answer?.['error'])
    const isDown = status >= 500 || code === 'server_error' || code === 'temporarily_unavailable'
    const problem = code === undefined ? `with status ${status}` : `with the error ${code}`
    const advice = isDown
      ? 'Try again later.'
      : code === 'invalid_client' || code === 'unauthorized_client'
        ? 'Check the client id and secret under Advanced.'
        : 'Connect again.'
    const refusal = new AppError(
      isDown ? 'upstream_error' : 'upstream_refused_key',
      `${server} answered the request for a token ${problem}. ${advice}${quoteResponse(describeAnswer(answer, text))}`,
    )
    this.#refusal ??= refusal
    if (isDown) this.failure ??= refusal
    const body = JSON.stringify({ error: code ?? 'server_error' })
    return new Response(body, { status: status < 400 ? 400 : status })
  }
}

/** Reads tokens or an error: JSON, or a form as GitHub sends it. */
function readTokenAnswer(text: string): JsonObject | undefined {
  const value = parseJson(text)
  if (isObject(value)) return withoutNulls(value)
  const form = Object.fromEntries(new URLSearchParams(text.trim()))
  return form['access_token'] === undefined && form['error'] === undefined ? undefined : form
}

/** The words of an error: those of a form as JSON, and no code alone, which is part of our sentence. */
function describeAnswer(answer: JsonObject | undefined, text: string): string {
  if (answer === undefined) return text
  const { error, error_description, message } = answer
  return JSON.stringify({ message, error_description, error: isObject(error) ? error : undefined })
}

function isFilled(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

/** The secrets in a request for tokens. */
function listSecrets({ body, headers }: RequestInit): string[] {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams()
  const fields = ['code', 'code_verifier', 'refresh_token', 'client_secret'].flatMap((name) =>
    form.getAll(name),
  )
  return [...readAuthorization(headers), ...fields]
}

/** Removes undefined and empty properties, since the SDK distinguishes an absent property from an undefined one. */
function withoutAbsent<Step extends object>(
  step: Step,
): { [Key in keyof Step]: Exclude<Step[Key], undefined> } {
  return Object.fromEntries(
    Object.entries(step).filter(([, value]) => value !== undefined && value !== ''),
  ) as { [Key in keyof Step]: Exclude<Step[Key], undefined> }
}
