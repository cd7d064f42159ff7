import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StandInApi } from '../google/api-stand-in.ts'
import { renderConsentPage } from './consent-page.ts'
import { StandInGrants, TokenError, type ConsentQuery, type IssuedTokens } from './stand-in-grants.ts'
import { createStandInKeys, type StandInKeys } from './stand-in-keys.ts'

export interface StandInBehaviour {
  /** What happens with a request for consent: it is granted or denied at once, or a page with a form is shown. */
  consent: 'grant' | 'deny' | 'ask'
  /** Scopes that the user does not tick. */
  uncheckedScopes: readonly string[]
  /** How the token endpoint responds. */
  token:
    | 'issue'
    | 'hang'
    | 'stall'
    | 'html'
    | 'huge'
    | 'fail'
    | 'invalid_client'
    | 'invalid_scope'
    | 'repeated_request'
    | 'line_breaks'
  issuesRefreshTokens: boolean
  /** Whether a response with tokens names their scopes. */
  namesScopes: boolean
  /** How the revocation endpoint responds. */
  revoke: 'confirm' | 'hang' | 'fail'
  /** The account that is signed in at Google. */
  account: string
}

export interface GoogleStandIn {
  readonly origin: string
  /** Settings that point the product at it. */
  readonly environment: Readonly<Record<string, string>>
  readonly behaviour: StandInBehaviour
  readonly grants: StandInGrants
  /** The forms that the token endpoint received. */
  readonly tokenRequests: readonly Readonly<Record<string, string>>[]
  /** The tokens that the revocation endpoint received. */
  readonly revocations: readonly string[]
  /** The addresses with which the consent page was opened. */
  readonly consents: readonly URL[]
  /** Responds to the hanging token requests, according to the current behaviour. */
  releaseTokens(): void
  /** Clears the recorded requests and restores the default behaviour. Tokens stay valid. */
  reset(): void
  close(): Promise<void>
}

export interface GoogleStandInOptions {
  /** Default: any free port. */
  readonly port?: number
  readonly apis?: readonly StandInApi[]
  readonly consent?: StandInBehaviour['consent']
}

/** Serves the parts of Google that the product uses from this machine: sign-in, consent, tokens, and the given APIs. */
export async function startGoogleStandIn(options: GoogleStandInOptions = {}): Promise<GoogleStandIn> {
  const standIn = new StandIn(options.apis ?? [], await createStandInKeys())
  standIn.behaviour.consent = options.consent ?? 'grant'
  const server = createServer((request, response) => {
    standIn.handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  standIn.origin = origin
  return {
    origin,
    environment: {
      GOOGLE_CLIENT_ID: clientId,
      GOOGLE_CLIENT_SECRET: clientSecret,
      GOOGLE_ISSUER: origin,
      GOOGLE_AUTH_URL: `${origin}/o/oauth2/v2/auth`,
      GOOGLE_TOKEN_URL: `${origin}/token`,
      GOOGLE_REVOKE_URL: `${origin}/revoke`,
      GMAIL_API_URL: `${origin}/gmail-api`,
      GOOGLE_CALENDAR_API_URL: `${origin}/calendar-api`,
    },
    behaviour: standIn.behaviour,
    grants: standIn.grants,
    tokenRequests: standIn.tokenRequests,
    revocations: standIn.revocations,
    consents: standIn.consents,
    releaseTokens: () => standIn.releaseTokens(),
    reset: () => standIn.reset(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const clientId = 'stand-in.apps.googleusercontent.com'
const clientSecret = 'stand-in-secret'

const defaultBehaviour: StandInBehaviour = {
  consent: 'grant',
  uncheckedScopes: [],
  token: 'issue',
  issuesRefreshTokens: true,
  namesScopes: true,
  revoke: 'confirm',
  account: 'ada@example.com',
}

class StandIn {
  origin = ''
  readonly behaviour: StandInBehaviour = { ...defaultBehaviour }
  readonly grants = new StandInGrants()
  readonly tokenRequests: Readonly<Record<string, string>>[] = []
  readonly revocations: string[] = []
  readonly consents: URL[] = []
  readonly #hanging: (() => Promise<void>)[] = []
  readonly #apis: readonly StandInApi[]
  readonly #keys: StandInKeys

  constructor(apis: readonly StandInApi[], keys: StandInKeys) {
    this.#apis = apis
    this.#keys = keys
  }

  releaseTokens(): void {
    for (const release of this.#hanging.splice(0)) void release()
  }

  reset(): void {
    this.#hanging.length = 0
    Object.assign(this.behaviour, defaultBehaviour)
    Object.assign(this.grants, { lifetimeSeconds: 3_599, rotatesRefreshTokens: false })
    for (const log of [this.tokenRequests, this.revocations, this.consents]) log.length = 0
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.origin)
    const body = await readBody(request)
    const api = this.#apis.find(({ prefix }) => url.pathname.startsWith(`${prefix}/`))
    if (api !== undefined) return this.#callApi(api, url, request, body, response)
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return sendJson(response, 200, this.#keys.describe(this.origin))
      case '/oauth2/v3/certs':
        return sendJson(response, 200, this.#keys.published)
      case '/o/oauth2/v2/auth':
        return this.#consent(url, new URLSearchParams(body.toString()), response)
      case '/token':
        return this.#handleTokenRequest(new URLSearchParams(body.toString()), response)
      case '/revoke':
        return this.#revoke(new URLSearchParams(body.toString()), response)
      default:
        response.writeHead(404).end()
    }
  }

  /** `form` is the submitted form of the consent page. */
  #consent(url: URL, form: URLSearchParams, response: ServerResponse): void {
    const query = url.searchParams
    const requested = (query.get('scope') ?? '').split(' ')
    if (query.get('client_id') !== clientId || query.get('response_type') !== 'code') {
      response.writeHead(400).end('Error 400: invalid_request')
      return
    }
    if (this.behaviour.consent === 'ask' && !form.has('decision')) {
      this.consents.push(url)
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(renderConsentPage(requested, this.behaviour.account))
      return
    }
    if (this.behaviour.consent !== 'ask') this.consents.push(url)
    const isAllowed = form.has('decision')
      ? form.get('decision') === 'allow'
      : this.behaviour.consent === 'grant'
    const ticked = form.has('decision')
      ? form.getAll('scope')
      : requested.filter((scope) => !this.behaviour.uncheckedScopes.includes(scope))
    const returnUrl = new URL(query.get('redirect_uri') ?? '')
    const state = query.get('state') ?? ''
    returnUrl.searchParams.set('state', state)
    if (isAllowed) {
      const consentQuery: ConsentQuery = {
        redirectUri: query.get('redirect_uri') ?? '',
        state,
        challenge: query.get('code_challenge') ?? '',
        nonce: query.get('nonce') ?? '',
        isOffline: query.get('access_type') === 'offline' && query.get('prompt') === 'consent',
      }
      returnUrl.searchParams.set('code', this.grants.issueCode(this.behaviour.account, ticked, consentQuery))
      returnUrl.searchParams.set('scope', ticked.join(' '))
    } else {
      returnUrl.searchParams.set('error', 'access_denied')
    }
    response.writeHead(302, { location: returnUrl.href }).end()
  }

  #handleTokenRequest(form: URLSearchParams, response: ServerResponse): Promise<void> {
    this.tokenRequests.push(Object.fromEntries(form))
    return this.#respondWithTokens(form, response)
  }

  /** Errors repeat the request, so that tests notice when its secrets are logged or shown. */
  async #respondWithTokens(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const error_description = `Bad Request: ${form.toString()}`
    switch (this.behaviour.token) {
      case 'hang':
        this.#hanging.push(() => this.#respondWithTokens(form, response))
        return
      case 'stall':
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"access_token":')
        return
      case 'html':
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<h1>Sign in to the network</h1>${form.toString()}`)
        return
      case 'huge':
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"a":"${'a'.repeat(1_000_000)}"}`)
        return
      case 'fail':
        return sendJson(response, 503, { error: 'internal_failure', error_description })
      case 'invalid_client':
        return sendJson(response, 401, { error: 'invalid_client', error_description })
      case 'invalid_scope':
        return sendJson(response, 400, { error: 'invalid_scope', error_description })
      case 'repeated_request':
        return sendJson(response, 400, { error: form.toString(), error_description })
      case 'line_breaks':
        return sendJson(response, 200, { access_token: 'ya29.\r\nx-injected: y', token_type: 'Bearer' })
      case 'issue':
        return this.#issueTokens(form, response)
    }
  }

  async #issueTokens(form: URLSearchParams, response: ServerResponse): Promise<void> {
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret)
      return sendJson(response, 401, { error: 'invalid_client' })
    try {
      const issued =
        form.get('grant_type') === 'refresh_token'
          ? this.grants.refresh(form)
          : this.grants.redeem(form, { issuesRefreshToken: this.behaviour.issuesRefreshTokens })
      return sendJson(response, 200, await this.#describeTokens(issued))
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      return sendJson(response, error.status, { error: error.message, error_description: 'Bad Request' })
    }
  }

  async #describeTokens({ grant, accessToken, refreshToken, nonce }: IssuedTokens): Promise<object> {
    const { account, scopes } = grant
    return {
      access_token: accessToken,
      expires_in: this.grants.lifetimeSeconds,
      token_type: 'Bearer',
      ...(this.behaviour.namesScopes ? { scope: [...scopes].join(' ') } : {}),
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(scopes.has('openid')
        ? { id_token: await this.#keys.signIdToken({ issuer: this.origin, clientId, account, nonce }) }
        : {}),
    }
  }

  #revoke(form: URLSearchParams, response: ServerResponse): void {
    const token = form.get('token') ?? ''
    this.revocations.push(token)
    if (this.behaviour.revoke === 'hang') return
    if (this.behaviour.revoke === 'fail') return sendJson(response, 503, { error: 'internal_failure' })
    if (this.grants.revoke(token)) return sendJson(response, 200, {})
    return sendJson(response, 400, { error: 'invalid_token', error_description: 'Token expired or revoked' })
  }

  async #callApi(
    { prefix, handle }: StandInApi,
    url: URL,
    { method, headers }: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const grant = this.grants.find(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
    if (grant === undefined) return sendJson(response, 401, unauthenticated)
    const address = `http://google.invalid${url.pathname.slice(prefix.length)}${url.search}`
    const request = new Request(address, {
      method: method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      body: body.byteLength === 0 ? null : new Uint8Array(body),
    })
    const apiResponse = await handle(request, grant)
    // An error response stands for a broken connection.
    if (apiResponse.type === 'error') return void response.destroy()
    response.writeHead(apiResponse.status, Object.fromEntries(apiResponse.headers))
    response.end(Buffer.from(await apiResponse.arrayBuffer()))
  }
}

/** Google's response to an invalid token. */
const unauthenticated = {
  error: {
    code: 401,
    message: 'Request had invalid authentication credentials. Expected OAuth 2 access token.',
    errors: [{ message: 'Invalid Credentials', domain: 'global', reason: 'authError' }],
    status: 'UNAUTHENTICATED',
  },
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(value))
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
