import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { respondToMcp } from './respond-to-mcp.ts'

/** A request to one of the paths. */
export interface SloppyRequest {
  readonly origin: string
  readonly headers: IncomingHttpHeaders
  readonly query: URLSearchParams
  readonly body: string
  /** The body of a request for tokens. */
  readonly form: URLSearchParams
  /** The usual answer. */
  readonly usual: Readonly<Record<string, unknown>>
}

export interface SloppyAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text, or JSON. */
  readonly body?: unknown
}

/** The answers of some paths; null never answers. */
export type SloppyAnswers = Readonly<Record<string, (request: SloppyRequest) => SloppyAnswer | null>>

export interface SloppyServer {
  readonly origin: string
  readonly url: string
  /** The forms of the requests for tokens. */
  readonly tokenForms: URLSearchParams[]
  /** The paths of all requests. */
  readonly paths: string[]
  /** Makes the access tokens invalid, so that the next call has to refresh them. */
  expireTokens(): void
  close(): Promise<void>
}

export const missing: SloppyAnswer = { status: 404 }
export const page: SloppyAnswer = {
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><p>Hello</p>',
}
export const resourcePath = '/.well-known/oauth-protected-resource/mcp'
export const serverPath = '/.well-known/oauth-authorization-server'

/**
 * Starts an MCP server whose authorization server has the same origin. It does what the standards say except at the
 * paths of `answers`.
 */
export async function startSloppyServer(answers: SloppyAnswers): Promise<SloppyServer> {
  const tokens = new Set<string>()
  const codes = new Map<string, string>()
  const tokenForms: URLSearchParams[] = []
  const paths: string[] = []
  let origin = ''
  let refreshToken = ''

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { pathname, searchParams: query } = new URL(request.url ?? '', origin)
      paths.push(pathname)
      const form = new URLSearchParams(pathname === '/token' ? body : '')
      if (pathname === '/token') tokenForms.push(form)
      const bearer = request.headers.authorization?.replace('Bearer ', '') ?? ''
      if (pathname === '/mcp' && tokens.has(bearer)) {
        if (request.method !== 'POST') return void response.writeHead(405).end()
        return respondToMcp({ name: 'sloppy', tool: 'secret', result: 'the secret' }, body, response)
      }
      const usual = answerUsually(pathname, query, form)
      const { body: json = {}, ...rest } = usual
      const given = answers[pathname]
      const answer =
        given === undefined
          ? usual
          : given({
              origin,
              headers: request.headers,
              query,
              body,
              form,
              usual: json as Record<string, unknown>,
            })
      if (answer === null) return
      const { status, headers, body: data } = given === undefined ? { ...rest, body: json } : answer
      for (const token of readTokens(data)) tokens.add(token)
      response.writeHead(status ?? 200, { 'content-type': 'application/json', ...headers })
      response.end(typeof data === 'string' ? data : JSON.stringify(data))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function answerUsually(path: string, query: URLSearchParams, form: URLSearchParams): SloppyAnswer {
    switch (path) {
      case '/mcp':
        return {
          status: 401,
          headers: { 'www-authenticate': `Bearer resource_metadata="${origin}${resourcePath}"` },
        }
      case resourcePath:
        return { body: { resource: `${origin}/mcp`, authorization_servers: [origin] } }
      case serverPath:
        return {
          body: {
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/register`,
            response_types_supported: ['code'],
            code_challenge_methods_supported: ['S256'],
            token_endpoint_auth_methods_supported: ['none'],
          },
        }
      case '/register':
        return { status: 201, body: { client_id: 'registered' } }
      case '/authorize': {
        const code = randomBytes(8).toString('hex')
        codes.set(code, query.get('code_challenge') ?? '')
        const back = new URL(query.get('redirect_uri') ?? '')
        back.search = new URLSearchParams({ code, state: query.get('state') ?? '' }).toString()
        return { status: 302, headers: { location: back.href } }
      }
      case '/token': {
        const challenge = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url')
        const isValid =
          form.get('grant_type') === 'refresh_token'
            ? form.get('refresh_token') === refreshToken
            : codes.get(form.get('code') ?? '') === challenge
        codes.delete(form.get('code') ?? '')
        if (!isValid) return { status: 400, body: { error: 'invalid_grant' } }
        const access_token = randomBytes(12).toString('hex')
        refreshToken = randomBytes(12).toString('hex')
        return { body: { access_token, token_type: 'Bearer', expires_in: 3600, refresh_token: refreshToken } }
      }
      default:
        return missing
    }
  }

  return {
    origin,
    url: `${origin}/mcp`,
    tokenForms,
    paths,
    expireTokens: () => tokens.clear(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The access tokens in an answer, in whatever form. */
function readTokens(data: unknown): string[] {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
  return [...text.matchAll(/access_token(?:"\s*:\s*"|=)([\w-]+)/g)].map((match) => match[1] ?? '')
}
