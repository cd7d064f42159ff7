import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerMcp } from './answer-mcp.ts'
import type { SmallMcpServer } from './answer-mcp.ts'

const mcp: SmallMcpServer = { name: 'guarded', tool: 'secret', result: 'the secret' }

export interface OAuthMcpServer {
  readonly origin: string
  /** The MCP address. */
  readonly url: string
  /** What it does differently from a polite server. */
  manners: {
    /** Seconds that an access token lives. */
    life: number
    /** No refresh token is good any more. */
    revoked: boolean
    /** What its metadata calls the page of consent; null means the real one. */
    authorizationEndpoint: string | null
    /** The issuer that it names when it sends a user back; null means none. */
    issuer: string | null
    /** Publishes what its authorization server is. */
    describesItself: boolean
    /** Takes tokens back, and says where. */
    takesBack: boolean
    /** What happens before tokens are taken back. */
    beforeTaking: () => Promise<unknown>
    /** What happens before tokens are given. */
    beforeTokens: () => Promise<unknown>
  }
  /** What came to the token endpoint, by grant type. */
  readonly tokenRequests: string[]
  /** What came to be taken back, in order. */
  readonly givenBack: readonly Readonly<Record<string, string>>[]
  /** Access tokens that came to the MCP address. */
  readonly bearers: string[]
  close(): Promise<void>
}

/** An MCP server that wants OAuth, with its authorization server at the same origin; it consents to everything. */
export async function startOAuthMcpServer(): Promise<OAuthMcpServer> {
  const state = new AuthorizationState()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => state.answer(request, response, Buffer.concat(chunks).toString()))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  state.origin = origin
  return {
    origin,
    url: `${origin}/mcp`,
    manners: state.manners,
    tokenRequests: state.tokenRequests,
    givenBack: state.givenBack,
    bearers: state.bearers,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

class AuthorizationState {
  origin = ''
  readonly manners: OAuthMcpServer['manners'] = {
    life: 3_600,
    revoked: false,
    authorizationEndpoint: null,
    issuer: null,
    describesItself: true,
    takesBack: true,
    beforeTaking: () => Promise.resolve(),
    beforeTokens: () => Promise.resolve(),
  }
  readonly givenBack: Readonly<Record<string, string>>[] = []
  readonly tokenRequests: string[] = []
  readonly bearers: string[] = []
  readonly #codes = new Map<string, string>()
  readonly #tokens = new Map<string, number>()
  #refreshToken = ''

  answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { pathname, searchParams } = new URL(request.url ?? '', this.origin)
    const json = (value: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    switch (pathname) {
      case '/mcp':
        return this.#answerMcp(request, response, body)
      case '/.well-known/oauth-protected-resource/mcp':
        return json({ resource: `${this.origin}/mcp`, authorization_servers: [this.origin] })
      case '/.well-known/oauth-authorization-server':
        if (this.manners.describesItself) return json(this.#describe())
        return void response.writeHead(404).end()
      case '/register':
        return json({ ...(JSON.parse(body) as object), client_id: 'yonder-here' }, 201)
      case '/authorize':
        return this.#consent(searchParams, response)
      case '/token':
        return void this.#giveTokens(new URLSearchParams(body), json)
      case '/revoke':
        return void this.#takeBack(new URLSearchParams(body), response)
      default:
        response.writeHead(404).end()
    }
  }

  #describe() {
    return {
      issuer: this.origin,
      authorization_endpoint: this.manners.authorizationEndpoint ?? `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      ...(this.manners.takesBack ? { revocation_endpoint: `${this.origin}/revoke` } : {}),
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    }
  }

  #consent(query: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(8).toString('hex')
    this.#codes.set(code, query.get('code_challenge') ?? '')
    const back = new URL(query.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state') ?? '')
    if (this.manners.issuer !== null) back.searchParams.set('iss', this.manners.issuer)
    response.writeHead(302, { location: back.href }).end()
  }

  async #giveTokens(form: URLSearchParams, json: (value: unknown, status?: number) => void): Promise<void> {
    const grant = form.get('grant_type') ?? ''
    this.tokenRequests.push(grant)
    await this.manners.beforeTokens()
    const isGood = grant === 'refresh_token' ? this.#isRefresh(form) : this.#isCode(form)
    if (!isGood) return json({ error: 'invalid_grant' }, 400)
    const token = randomBytes(8).toString('hex')
    this.#tokens.set(token, Date.now() + this.manners.life * 1_000)
    this.#refreshToken = randomBytes(8).toString('hex')
    json({
      access_token: token,
      token_type: 'Bearer',
      expires_in: this.manners.life,
      refresh_token: this.#refreshToken,
    })
  }

  async #takeBack(form: URLSearchParams, response: ServerResponse): Promise<void> {
    this.givenBack.push(Object.fromEntries(form))
    await this.manners.beforeTaking()
    this.#tokens.delete(form.get('token') ?? '')
    response.writeHead(200).end()
  }

  /** A refresh token is good once. */
  #isRefresh(form: URLSearchParams): boolean {
    return !this.manners.revoked && form.get('refresh_token') === this.#refreshToken
  }

  #isCode(form: URLSearchParams): boolean {
    const code = form.get('code') ?? ''
    const challenge = this.#codes.get(code)
    this.#codes.delete(code)
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    return challenge !== undefined && challenge === verifier
  }

  #answerMcp(request: IncomingMessage, response: ServerResponse, body: string): void {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    this.bearers.push(bearer)
    if ((this.#tokens.get(bearer) ?? 0) < Date.now()) {
      const metadata = `${this.origin}/.well-known/oauth-protected-resource/mcp`
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
      return
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    answerMcp(mcp, body, response)
  }
}
