import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { calculateJwkThumbprint, exportJWK, SignJWT, type JWK, type JWTPayload } from 'jose'

/** The asymmetric algorithms of tokens, each with its key. */
export const signingAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

/** How an ID token is signed. `forged` uses another key under the known key id. */
export type Signing = 'good' | 'forged' | 'none' | 'none with signature' | 'hmac with the public key'

/** The faults of the provider; everything else works. */
export interface Faults {
  /** Changes the claims of the ID token; undefined removes one. */
  readonly idToken?: Readonly<Record<string, unknown>>
  readonly signing?: Signing
  /** The algorithm of all tokens; RS256 by default. */
  readonly algorithm?: SigningAlgorithm
  /** Changes the header of the ID token; undefined removes a parameter. */
  readonly idTokenHeader?: Readonly<Record<string, unknown>>
  /** Changes the claims of the access token, or makes it a random text. */
  readonly accessToken?: Readonly<Record<string, unknown>> | 'opaque'
  /** Changes fields of the discovery document; undefined removes one. */
  readonly discovery?: Readonly<Record<string, unknown>>
  /** Changes the published keys. */
  readonly publish?: (keys: readonly JWK[]) => readonly unknown[]
  /** The client and the redirect address that the provider knows. Others are refused with a page or an error. */
  readonly client?: { readonly id: string; readonly redirectUri: string }
  /** Seconds by which the clock of the provider is ahead, in the header `Date`. */
  readonly clockAhead?: number
  /** Paths that allow no requests from other origins. */
  readonly noCors?: readonly string[]
  /** Signs the response of the userinfo endpoint. */
  readonly signsUserinfo?: boolean
  /** The description of `tokenError` and `refuse`. */
  readonly description?: string
  readonly omitIdToken?: boolean
  /** The `state` that is returned, if not that of the request. */
  readonly state?: string
  /** The issuer in the return address (RFC 9207); null omits it. */
  readonly responseIssuer?: string | null
  /** Ends the sign-in with this error. */
  readonly refuse?: string
  /** Paths without a response. */
  readonly hang?: readonly string[]
  /** The paths that fail, each with its status. */
  readonly status?: Readonly<Record<string, number>>
  /** The OAuth error in the responses of these paths; `server_error` by default. */
  readonly tokenError?: string
  /** Seconds. */
  readonly accessTokenLife?: number
  readonly noEndSession?: boolean
  /** The token endpoint in the provider's metadata, if not the real one. */
  readonly tokenEndpoint?: string
}

interface SigningKey {
  readonly privateKey: KeyObject
  readonly jwk: JWK
}

export interface HostileIdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly audience: string
  /** A test may replace it at any time. */
  faults: Faults
  /** Requests since the last `forget`, as `METHOD /path`. */
  readonly calls: string[]
  /** The bodies of token requests. */
  readonly tokenRequests: URLSearchParams[]
  /** The parameters of authorization requests. */
  readonly authorizations: URLSearchParams[]
  forget(): void
  /** The user that signs in. */
  user: Readonly<Record<string, unknown>>
  /** Returns an access token, with these claims in place of the right ones; undefined removes one. */
  mint(
    claims?: Readonly<Record<string, unknown>>,
    signing?: Signing,
    header?: Record<string, unknown>,
  ): Promise<string>
  /** Adds a signing key, with which tokens are signed from now on. The earlier keys stay valid. */
  rotate(): Promise<void>
  close(): Promise<void>
}

/** Starts an OpenID provider that signs its user in without a page, with the faults of the test. */
export async function openHostileIdentityProvider(
  /** The path of the issuer, such as `/realms/home`. */
  issuerPath = '',
): Promise<HostileIdentityProvider> {
  let keys: SigningKey[] = [await makeKey()]
  const keysOf = new Map<SigningAlgorithm, SigningKey>()
  const unknownKey = await makeKey()
  const codes = new Map<string, { readonly nonce: string | null }>()
  const calls: string[] = []
  const tokenRequests: URLSearchParams[] = []
  const authorizations: URLSearchParams[] = []

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, 'localhost', resolve)
  })
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  const issuer = origin + issuerPath

  const provider: HostileIdentityProvider = {
    issuer,
    clientId: 'yonder-web',
    audience: 'https://yonder.example/api',
    faults: {},
    calls,
    tokenRequests,
    authorizations,
    user: { sub: 'user-1', name: 'Grace Hopper', email: 'grace@example.com' },
    forget() {
      calls.length = 0
      tokenRequests.length = 0
      authorizations.length = 0
    },
    mint: (claims = {}, signing = 'good', header = {}) =>
      sign({ ...accessClaims(), ...claims }, signing, { typ: 'at+jwt', ...header }),
    async rotate() {
      keys = [await makeKey(), ...keys]
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return provider

  async function signingKey(): Promise<SigningKey> {
    const { algorithm = 'RS256' } = provider.faults
    if (algorithm === 'RS256') return keys[0] ?? unknownKey
    const key = keysOf.get(algorithm) ?? (await makeKey(algorithm))
    keysOf.set(algorithm, key)
    return key
  }

  function accessClaims(): JWTPayload {
    const now = Math.floor(Date.now() / 1000)
    const life = provider.faults.accessTokenLife ?? 300
    return { ...provider.user, iss: issuer, aud: provider.audience, iat: now, exp: now + life }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer)
    const path = url.pathname.replace(issuerPath.replace(/\/$/, ''), '')
    if (provider.faults.noCors?.includes(path) !== true) {
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-allow-headers', '*')
    }
    const { clockAhead = 0, client } = provider.faults
    response.setHeader('date', new Date(Date.now() + clockAhead * 1_000).toUTCString())
    if (request.method === 'OPTIONS') {
      response.end()
      return
    }
    calls.push(`${request.method} ${path}`)
    if (provider.faults.hang?.includes(path)) return
    const status = provider.faults.status?.[path]
    if (status !== undefined) {
      const { tokenError: error = 'server_error', description } = provider.faults
      send(response, status, { error, error_description: description })
      return
    }
    switch (path) {
      case '/.well-known/openid-configuration':
        send(response, 200, describe())
        return
      case '/jwks': {
        await signingKey()
        const published = [...keys, ...keysOf.values()].map(({ jwk }) => jwk)
        send(response, 200, { keys: provider.faults.publish?.(published) ?? published })
        return
      }
      case '/authorize':
        authorizations.push(url.searchParams)
        if (client !== undefined && !isKnown(url.searchParams, client)) {
          response.writeHead(400, { 'content-type': 'text/html' }).end('<p>Unknown client or address')
          return
        }
        redirect(response, authorize(url.searchParams))
        return
      case '/token':
        await grant(response, new URLSearchParams(await readBody(request)))
        return
      case '/userinfo':
        if (provider.faults.signsUserinfo === true) {
          const claims = { ...provider.user, iss: issuer, aud: provider.clientId }
          response.writeHead(200, { 'content-type': 'application/jwt' }).end(await sign(claims, 'good', {}))
        } else send(response, 200, provider.user)
        return
      case '/logout':
        redirect(response, url.searchParams.get('post_logout_redirect_uri') ?? '/')
        return
      default:
        send(response, path === '/revoke' ? 200 : 404, {})
    }
  }

  function describe(): Record<string, unknown> {
    const { algorithm = 'RS256', tokenEndpoint, noEndSession, discovery } = provider.faults
    return {
      issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: tokenEndpoint ?? `${origin}/token`,
      jwks_uri: `${origin}/jwks`,
      userinfo_endpoint: `${origin}/userinfo`,
      revocation_endpoint: `${origin}/revoke`,
      ...(noEndSession === true ? {} : { end_session_endpoint: `${origin}/logout` }),
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: [algorithm],
      ...discovery,
    }
  }

  function authorize(params: URLSearchParams): string {
    const { state, responseIssuer = issuer, refuse, description } = provider.faults
    const code = randomBytes(16).toString('hex')
    codes.set(code, { nonce: params.get('nonce') })
    const next = new URL(params.get('redirect_uri') ?? issuer)
    if (params.get('prompt') === 'none') next.searchParams.set('error', refuse ?? 'login_required')
    else if (refuse === undefined) next.searchParams.set('code', code)
    else next.searchParams.set('error', refuse)
    if (refuse !== undefined && description !== undefined)
      next.searchParams.set('error_description', description)
    next.searchParams.set('state', state ?? params.get('state') ?? '')
    if (responseIssuer !== null) next.searchParams.set('iss', responseIssuer)
    return next.href
  }

  async function grant(response: ServerResponse, body: URLSearchParams): Promise<void> {
    tokenRequests.push(body)
    const code = codes.get(body.get('code') ?? '')
    codes.delete(body.get('code') ?? '')
    if (provider.faults.client !== undefined && !isKnown(body, provider.faults.client)) {
      send(response, 401, { error: 'invalid_client' })
      return
    }
    if (body.get('grant_type') === 'authorization_code' && code === undefined) {
      send(response, 400, { error: 'invalid_grant' })
      return
    }
    const { idToken = {}, signing = 'good', omitIdToken = false, accessTokenLife = 300 } = provider.faults
    const { accessToken = {}, idTokenHeader = {} } = provider.faults
    const isOpaque = accessToken === 'opaque'
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      ...provider.user,
      iss: issuer,
      aud: provider.clientId,
      iat: now,
      exp: now + 3600,
      ...(code === undefined ? {} : { nonce: code.nonce }),
      ...idToken,
    }
    send(response, 200, {
      access_token: isOpaque ? randomBytes(16).toString('hex') : await provider.mint(accessToken),
      token_type: 'Bearer',
      expires_in: accessTokenLife,
      refresh_token: randomBytes(16).toString('hex'),
      ...(omitIdToken ? {} : { id_token: await sign(claims, signing, idTokenHeader) }),
    })
  }

  async function sign(
    claims: Readonly<Record<string, unknown>>,
    signing: Signing,
    header: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const key = await signingKey()
    const { privateKey, jwk } = key
    const { kid, alg = 'RS256' } = jwk
    const payload = withoutMissing(claims)
    switch (signing) {
      case 'good':
      case 'forged':
        return new SignJWT(payload)
          .setProtectedHeader({ alg, ...withoutMissing({ kid, ...header }) })
          .sign(signing === 'good' ? privateKey : unknownKey.privateKey)
      case 'none':
      case 'none with signature':
        return `${encode({ alg: 'none', kid, ...header })}.${encode(payload)}.${signing === 'none' ? '' : 'c2ln'}`
      case 'hmac with the public key': {
        const text = `${encode({ alg: 'HS256', kid, ...header })}.${encode(payload)}`
        return `${text}.${createHmac('sha256', publicPem(key)).update(text).digest('base64url')}`
      }
    }
  }
}

async function makeKey(alg: SigningAlgorithm = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = makePair(alg)
  const jwk = await exportJWK(publicKey)
  return { privateKey, jwk: { ...jwk, use: 'sig', alg, kid: await calculateJwkThumbprint(jwk) } }
}

const curves: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }

function makePair(alg: SigningAlgorithm) {
  const namedCurve = curves[alg]
  if (namedCurve !== undefined) return generateKeyPairSync('ec', { namedCurve })
  return alg.startsWith('Ed')
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('rsa', { modulusLength: 2048 })
}

function withoutMissing(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function isKnown(params: URLSearchParams, { id, redirectUri }: NonNullable<Faults['client']>): boolean {
  return params.get('client_id') === id && params.get('redirect_uri') === redirectUri
}

function publicPem({ privateKey }: SigningKey): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end()
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
