import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { respondToMcp, type SmallMcpServer } from './respond-to-mcp.ts'

const mcp: SmallMcpServer = { name: 'guarded', tool: 'secret', result: 'the secret' }

export interface OAuthMcpServer {
  readonly origin: string
  /** The MCP address. */
  readonly url: string
  /** By default that of a well-behaved server. A test may change it at any time. */
  behaviour: {
    /** Seconds until an access token expires. */
    accessTokenLifeS: number
    /** The last characters of every access token. */
    accessTokenEnd: string
    /** Refuses every access and refresh token. */
    revoked: boolean
    /** The authorization endpoint in its metadata; null means the real one. */
    authorizationEndpoint: string | null
    /** The issuer parameter of the callback; null means none. */
    issuer: string | null
    /** Publishes the metadata of its authorization server. */
    publishesMetadata: boolean
    /** The authorization server that the MCP server names; null means its own. */
    authorizationServer: string | null
    /** Another server whose access tokens it accepts too. */
    acceptsTokensOf: Pick<OAuthMcpServer, 'isValid'> | null
    /** Has a revocation endpoint. */
    supportsRevocation: boolean
    /** The revocation endpoint in its metadata; null means the real one. */
    revocationEndpoint: string | null
    /** The scopes in its metadata. */
    scopes: readonly string[]
    /** A scope that it says every request lacks; null means that none does. */
    missingScope: string | null
    /** The secret of the clients that it registers; null means none. */
    registeredSecret: string | null
    /** Its response to a request for tokens; null means the real one. */
    respondToTokenRequest: ((form: URLSearchParams) => { status: number; body: string }) | null
    /** Awaited before it sends the metadata of its authorization server. */
    beforeMetadata: () => Promise<unknown>
    /** Awaited before tokens are revoked. */
    beforeRevocation: () => Promise<unknown>
    /** Awaited before tokens are issued, or refused. */
    beforeTokens: () => Promise<unknown>
  }
  /** The grant types of the token requests, in order, without those that `respondToTokenRequest` handled. */
  readonly tokenRequests: string[]
  /** The client secrets of these requests. */
  readonly clientSecrets: (string | null)[]
  /** The number of registered clients. */
  readonly registrations: { count: number }
  /** The forms of the revocation requests, in order. */
  readonly revocations: readonly Readonly<Record<string, string>>[]
  /** Whether it has issued this access token, and the token is not expired, revoked or forgotten. */
  isValid(token: string): boolean
  /** Makes all issued tokens invalid. */
  forgetTokens(): void
  /** Makes all issued access tokens invalid. They can be refreshed. */
  forgetAccessTokens(): void
  /** The access tokens of the requests to the MCP address. */
  readonly bearers: string[]
  close(): Promise<void>
}

/**
 * Starts an MCP server that requires OAuth, with its authorization server at the same origin. It grants every consent.
 */
export async function startOAuthMcpServer(): Promise<OAuthMcpServer> {
  const state = new AuthorizationState()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => state.respond(request, response, Buffer.concat(chunks).toString()))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  state.origin = origin
  return {
    origin,
    url: `${origin}/mcp`,
    behaviour: state.behaviour,
    tokenRequests: state.tokenRequests,
    clientSecrets: state.clientSecrets,
    registrations: state.registrations,
    revocations: state.revocations,
    bearers: state.bearers,
    isValid: (token) => state.isValid(token),
    forgetTokens: () => state.forgetTokens(),
    forgetAccessTokens: () => state.forgetAccessTokens(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

class AuthorizationState {
  origin = ''
  readonly behaviour: OAuthMcpServer['behaviour'] = {
    accessTokenLifeS: 3_600,
    accessTokenEnd: '',
    revoked: false,
    authorizationEndpoint: null,
    issuer: null,
    publishesMetadata: true,
    authorizationServer: null,
    acceptsTokensOf: null,
    supportsRevocation: true,
    revocationEndpoint: null,
    scopes: [],
    missingScope: null,
    registeredSecret: null,
    respondToTokenRequest: null,
    beforeMetadata: () => Promise.resolve(),
    beforeRevocation: () => Promise.resolve(),
    beforeTokens: () => Promise.resolve(),
  }
  readonly revocations: Readonly<Record<string, string>>[] = []
  readonly tokenRequests: string[] = []
  readonly clientSecrets: (string | null)[] = []
  readonly registrations = { count: 0 }
  readonly bearers: string[] = []
  readonly #codes = new Map<string, string>()
  readonly #tokens = new Map<string, number>()
  #refreshToken = ''

  respond(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { pathname, searchParams } = new URL(request.url ?? '', this.origin)
    const json = (value: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    switch (pathname) {
      case '/mcp':
        return this.#respondToMcp(request, response, body)
      case '/.well-known/oauth-protected-resource/mcp':
        return json({
          resource: `${this.origin}/mcp`,
          authorization_servers: [this.behaviour.authorizationServer ?? this.origin],
        })
      case '/.well-known/oauth-authorization-server':
        if (!this.behaviour.publishesMetadata) return void response.writeHead(404).end()
        return void this.behaviour.beforeMetadata().then(() => json(this.#describe()))
      case '/register':
        return this.#register(body, json)
      case '/authorize':
        return this.#consent(searchParams, response)
      case '/token':
        if (this.behaviour.respondToTokenRequest !== null) {
          const { status, body: text } = this.behaviour.respondToTokenRequest(new URLSearchParams(body))
          return void response.writeHead(status, { 'content-type': 'application/json' }).end(text)
        }
        return void this.#issueTokens(new URLSearchParams(body), json)
      case '/revoke':
        return void this.#revoke(new URLSearchParams(body), response)
      default:
        response.writeHead(404).end()
    }
  }

  #describe() {
    return {
      issuer: this.origin,
      authorization_endpoint: this.behaviour.authorizationEndpoint ?? `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      ...(this.behaviour.supportsRevocation
        ? { revocation_endpoint: this.behaviour.revocationEndpoint ?? `${this.origin}/revoke` }
        : {}),
      ...(this.behaviour.scopes.length === 0 ? {} : { scopes_supported: this.behaviour.scopes }),
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
    }
  }

  #register(body: string, json: (value: unknown, status?: number) => void): void {
    this.registrations.count++
    const { registeredSecret } = this.behaviour
    const secret = registeredSecret === null ? {} : { client_secret: registeredSecret }
    json({ ...(JSON.parse(body) as object), client_id: 'yonder-here', ...secret }, 201)
  }

  #consent(query: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(8).toString('hex')
    this.#codes.set(code, query.get('code_challenge') ?? '')
    const back = new URL(query.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state') ?? '')
    if (this.behaviour.issuer !== null) back.searchParams.set('iss', this.behaviour.issuer)
    response.writeHead(302, { location: back.href }).end()
  }

  async #issueTokens(form: URLSearchParams, json: (value: unknown, status?: number) => void): Promise<void> {
    const grantType = form.get('grant_type') ?? ''
    this.tokenRequests.push(grantType)
    this.clientSecrets.push(form.get('client_secret'))
    const isValid = grantType === 'refresh_token' ? this.#isValidRefresh(form) : this.#isValidCode(form)
    await this.behaviour.beforeTokens()
    if (!isValid) return json({ error: 'invalid_grant' }, 400)
    const token = randomBytes(8).toString('hex') + this.behaviour.accessTokenEnd
    this.#tokens.set(token, Date.now() + this.behaviour.accessTokenLifeS * 1_000)
    this.#refreshToken = randomBytes(8).toString('hex')
    json({
      access_token: token,
      token_type: 'Bearer',
      expires_in: this.behaviour.accessTokenLifeS,
      refresh_token: this.#refreshToken,
    })
  }

  async #revoke(form: URLSearchParams, response: ServerResponse): Promise<void> {
    this.revocations.push(Object.fromEntries(form))
    await this.behaviour.beforeRevocation()
    this.#tokens.delete(form.get('token') ?? '')
    response.writeHead(200).end()
  }

  forgetTokens(): void {
    this.forgetAccessTokens()
    this.#refreshToken = ''
  }

  forgetAccessTokens(): void {
    this.#tokens.clear()
  }

  isValid(token: string): boolean {
    return (this.#tokens.get(token) ?? 0) >= Date.now()
  }

  /** A refresh token is valid once. */
  #isValidRefresh(form: URLSearchParams): boolean {
    return !this.behaviour.revoked && form.get('refresh_token') === this.#refreshToken
  }

  #isValidCode(form: URLSearchParams): boolean {
    const code = form.get('code') ?? ''
    const challenge = this.#codes.get(code)
    this.#codes.delete(code)
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    return challenge !== undefined && challenge === verifier
  }

  #respondToMcp(request: IncomingMessage, response: ServerResponse, body: string): void {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    this.bearers.push(bearer)
    const isAccepted = this.isValid(bearer) || this.behaviour.acceptsTokensOf?.isValid(bearer) === true
    if (this.behaviour.revoked || !isAccepted) {
      const metadata = `${this.origin}/.well-known/oauth-protected-resource/mcp`
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
      return
    }
    if (this.behaviour.missingScope !== null) {
      const challenge = `Bearer error="insufficient_scope", scope="${this.behaviour.missingScope}"`
      response.writeHead(403, { 'www-authenticate': challenge }).end()
      return
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    respondToMcp(mcp, body, response)
  }
}
