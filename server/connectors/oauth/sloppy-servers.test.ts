import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../testing/free-port.ts'
import { findTarget } from '../../testing/mcp/find-target.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import {
  missing,
  page,
  resourcePath,
  serverPath,
  startSloppyServer,
  type SloppyAnswers,
  type SloppyServer,
} from '../../testing/mcp/sloppy-oauth-server.ts'
import { callTool } from '../calls/call-tool.ts'
import { connectConnector } from '../connect-connector.ts'
import { requireConnector } from '../connector-store.ts'
import { createConnector } from '../save-connector.ts'
import { createConsentRequest } from './consent-request.ts'
import { isSameIssuer, isWithin } from './discover-authorization.ts'
import { finishConsent } from './finish-consent.ts'

let connectors: TestConnectors
const user = { id: 'ada' }

beforeAll(async () => {
  connectors = await openTestConnectors({
    policy: { allowedPrivateHosts: ['127.0.0.1:*', 'localhost:*'] },
    limits: { maxOAuthRequestMs: 500, maxConnectorsPerUser: 1_000 },
  })
  await connectors.addUser(user.id)
})
afterAll(() => connectors.close())

/** An address where no server listens. */
const closed = `http://127.0.0.1:${await freePort()}`

let count = 0
interface Fields {
  readonly url?: string
  readonly client_id?: string
  readonly client_secret?: string
}

/** Connects, consents, calls, and calls again with a refreshed token. Returns what the user reads when that fails. */
async function useConnector(server: SloppyServer, fields: Fields = {}): Promise<string> {
  const name = `sloppy ${++count}`
  await createConnector(connectors, user, { name, url: server.url, ...fields })
  const read = () => requireConnector(connectors.database.db, user, name)
  const connect = async (confirmed: readonly string[]) => {
    const consent = createConsentRequest('/settings/connectors', undefined, confirmed)
    await connectConnector(connectors, await read(), consent)
    return consent
  }
  const start = async () => {
    const consent = await connect([])
    return consent.originsToConfirm.length === 0 ? consent : connect(consent.originsToConfirm)
  }
  const consent = await start().catch((error: unknown) => String(error))
  if (typeof consent === 'string') return consent
  const opened = await fetch(consent.authorizationUrl ?? '', { redirect: 'manual' })
  const { searchParams } = new URL(opened.headers.get('location') ?? '')
  const parameter = (key: string) => searchParams.get(key) ?? undefined
  const { outcome } = await finishConsent(connectors, {
    state: parameter('state') ?? '',
    code: parameter('code'),
    error: parameter('error'),
    description: parameter('error_description'),
    issuer: parameter('iss'),
    browserKey: consent.browserKey,
  })
  if (outcome !== 'connected') return `${outcome}: ${(await read()).error_message}`
  const call = async () =>
    callTool(connectors, {
      user,
      ...(await findTarget(connectors, user, name, 'secret')),
      arguments: {},
      approval: 'once',
      signal: AbortSignal.timeout(10_000),
    })
  expect(await call()).toMatchObject({ text: 'the secret' })
  server.expireTokens()
  const again = await call()
  return again.text === 'the secret' ? 'works' : again.text
}

/** Uses a server with these answers. In what the user reads, its origin is ORIGIN. */
async function tryServer(answers: SloppyAnswers, fields: Fields = {}): Promise<string> {
  const server = await startSloppyServer(answers)
  try {
    return (await useConnector(server, fields)).replaceAll(server.origin, 'ORIGIN')
  } finally {
    await server.close()
  }
}

const noAnswers: SloppyAnswers = {}
const metadata = (change: Readonly<Record<string, unknown>>): SloppyAnswers => ({
  [serverPath]: ({ usual }) => ({ body: { ...usual, ...change } }),
})
const resource = (change: (origin: string) => Readonly<Record<string, unknown>>): SloppyAnswers => ({
  [resourcePath]: ({ usual, origin }) => ({ body: { ...usual, ...change(origin) } }),
})
const tokens = (change: Readonly<Record<string, unknown>>): SloppyAnswers => ({
  '/token': ({ usual }) => ({ body: { ...usual, ...change } }),
})
const challenge = (header: (origin: string) => string | undefined, status = 401): SloppyAnswers => ({
  '/mcp': ({ origin }) => {
    const value = header(origin)
    return { status, ...(value === undefined ? {} : { headers: { 'www-authenticate': value } }) }
  },
})
const at = (path: string, issuer = '/'): SloppyAnswers => ({
  [serverPath]: () => missing,
  [resourcePath]: ({ origin, usual }) => ({
    body: { ...usual, authorization_servers: [origin + issuer.replace(/^\/$/, '')] },
  }),
  [path]: ({ origin }) => ({
    body: {
      issuer: origin + issuer.replace(/^\/$/, ''),
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
    },
  }),
})
const rootResource = '/.well-known/oauth-protected-resource'

describe('a sloppy authorization server is connected with', () => {
  it.each<[string, SloppyAnswers]>([
    ['nothing sloppy', noAnswers],
    ['no code challenge methods', metadata({ code_challenge_methods_supported: undefined })],
    ['null as code challenge methods', metadata({ code_challenge_methods_supported: null })],
    ['no listed code challenge method', metadata({ code_challenge_methods_supported: [] })],
    ['a method in other letters', metadata({ code_challenge_methods_supported: ['plain', 's256'] })],
    ['no response types', metadata({ response_types_supported: undefined })],
    ['one response type as a text', metadata({ response_types_supported: 'code' })],
    [
      'null fields in the metadata',
      metadata({ scopes_supported: null, revocation_endpoint: null, jwks_uri: null }),
    ],
    ['relative endpoints', metadata({ authorization_endpoint: '/authorize', token_endpoint: '/token' })],
    ['metadata without issuer', metadata({ issuer: undefined })],
    [
      'an issuer with a slash',
      { [serverPath]: ({ usual, origin }) => ({ body: { ...usual, issuer: `${origin}/` } }) },
    ],
    ['a slash after the named server', resource((origin) => ({ authorization_servers: [`${origin}/`] }))],
    ['one named server as a text', resource((origin) => ({ authorization_servers: origin }))],
    ['null beside the named servers', resource(() => ({ scopes_supported: null, jwks_uri: null }))],
    ['a resource with a slash', resource((origin) => ({ resource: `${origin}/mcp/` }))],
    ['the origin as resource', resource((origin) => ({ resource: origin }))],
    ['no resource', resource(() => ({ resource: undefined }))],
    ['null as servers', resource(() => ({ authorization_servers: null }))],
    [
      'metadata only at the root',
      {
        ...challenge(() => 'Bearer'),
        [resourcePath]: () => missing,
        [rootResource]: ({ origin }) => ({
          body: { resource: `${origin}/`, authorization_servers: [origin] },
        }),
      },
    ],
    ['no metadata of the resource', { ...challenge(() => 'Bearer'), [resourcePath]: () => missing }],
    ['a page in place of metadata of the resource', { [resourcePath]: () => page }],
    [
      'no metadata at all',
      { ...challenge(() => undefined), [resourcePath]: () => missing, [serverPath]: () => missing },
    ],
    ['pages in place of all metadata', { [resourcePath]: () => page, [serverPath]: () => page }],
    [
      'an error in place of metadata',
      { ...at('/.well-known/openid-configuration'), [serverPath]: () => ({ status: 500 }) },
    ],
    ['only OpenID metadata', at('/.well-known/openid-configuration')],
    ['an issuer with a path', at(`${serverPath}/realms/a`, '/realms/a')],
    ['an issuer with a path, OpenID first', at('/.well-known/openid-configuration/realms/a', '/realms/a')],
    ['an issuer with a path, OpenID last', at('/realms/a/.well-known/openid-configuration', '/realms/a')],
    ['an issuer with a path and a slash', at(`${serverPath}/realms/a`, '/realms/a/')],
    ['a dead first server', resource((origin) => ({ authorization_servers: [closed, origin] }))],
    ['a missing first server', resource((origin) => ({ authorization_servers: [`${origin}/none`, origin] }))],
    ['an invalid first server', resource((origin) => ({ authorization_servers: [null, 'none', origin] }))],
    [
      'a slow first server',
      {
        ...resource((origin) => ({ authorization_servers: [`${origin}/slow`, origin] })),
        [`${serverPath}/slow`]: () => null,
      },
    ],
    [
      'metadata that names its issuer',
      {
        ...challenge(() => undefined),
        [resourcePath]: () => missing,
        [serverPath]: ({ usual, origin }) => ({ body: { ...usual, issuer: `${origin}/real` } }),
        [`${serverPath}/real`]: ({ origin }) => ({
          body: {
            issuer: `${origin}/real`,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/register`,
          },
        }),
      },
    ],
    ['a challenge without scheme', challenge((origin) => `resource_metadata="${origin}${resourcePath}"`)],
    [
      'a challenge without quotes',
      challenge((origin) => `Bearer resource_metadata=${origin}${resourcePath}`),
    ],
    [
      'several challenges',
      challenge(
        (origin) => `Basic realm="x", Bearer realm="y", resource_metadata="${origin}${resourcePath}"`,
      ),
    ],
    ['a relative address in the challenge', challenge(() => `bearer resource_metadata="${resourcePath}"`)],
    ['an unknown scheme', challenge((origin) => `MCP RESOURCE_METADATA = "${origin}${resourcePath}"`)],
    ['an invalid address in the challenge', challenge(() => 'Bearer resource_metadata="http://"')],
    [
      'a missing document in the challenge',
      challenge((origin) => `Bearer resource_metadata="${origin}/none"`),
    ],
    ['no challenge', challenge(() => undefined)],
    ['403 in place of 401', challenge(() => 'Bearer error="invalid_token"', 403)],
    ['a registration with status 200', { '/register': () => ({ body: { client_id: 'registered' } }) }],
    [
      'null fields in the registration',
      {
        '/register': () => ({
          status: 201,
          body: {
            client_id: 'registered',
            client_secret: null,
            redirect_uris: null,
            client_id_issued_at: null,
          },
        }),
      },
    ],
    [
      'a number as client id',
      { '/register': () => ({ status: 201, body: { client_id: 17, redirect_uris: [] } }) },
    ],
    [
      'a method that needs a secret, and none',
      {
        '/register': () => ({
          status: 201,
          body: { client_id: 'registered', token_endpoint_auth_method: 'client_secret_basic' },
        }),
      },
    ],
    ['a token without type', tokens({ token_type: undefined })],
    ['null as type', tokens({ token_type: null })],
    ['a type in small letters', tokens({ token_type: 'bearer' })],
    ['a lifetime as a text', tokens({ expires_in: '3600' })],
    ['null as lifetime', tokens({ expires_in: null })],
    ['a lifetime of 0', tokens({ expires_in: 0 })],
    ['words as lifetime', tokens({ expires_in: 'never' })],
    ['a list as scope', tokens({ scope: ['read', 'write'] })],
    ['null as scope, and an error of null', tokens({ scope: null, id_token: null, error: null })],
    [
      'a form as answer',
      {
        '/token': ({ usual }) => ({
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(usual as Record<string, string>).toString(),
        }),
      },
    ],
    [
      'a token as text/plain',
      {
        '/token': ({ usual }) => ({ headers: { 'content-type': 'text/plain' }, body: JSON.stringify(usual) }),
      },
    ],
  ])('%s', async (_, answers) => {
    expect(await tryServer(answers)).toBe('works')
  })
})

const advanced = 'Enter a client id under Advanced.'
const asked = 'The authorization server ORIGIN answered the request for a token'
const correct = 'Ask those who run that server to correct it.'

describe('a sloppy authorization server is refused with a true sentence', () => {
  it.each<[string, SloppyAnswers, string]>([
    [
      'no registration',
      metadata({ registration_endpoint: undefined }),
      `This server does not register clients. ${advanced}`,
    ],
    [
      'null as registration',
      metadata({ registration_endpoint: null }),
      `This server does not register clients. ${advanced}`,
    ],
    [
      '404 for the registration',
      { '/register': () => missing },
      `This server does not register clients. ${advanced}`,
    ],
    ...[400, 401, 403].map((status): [string, SloppyAnswers, string] => [
      `${status} for the registration`,
      {
        '/register': () => ({
          status,
          body: { error: 'access_denied', error_description: 'Ask \u202Ethe “admin”.' },
        }),
      },
      `The authorization server ORIGIN answered the registration of a client with status ${status}. ${advanced} The server says: “Ask the 'admin'.”`,
    ]),
    [
      'a page for the registration',
      { '/register': () => page },
      `The authorization server ORIGIN answered the registration of a client without a client id. ${advanced}`,
    ],
    [
      '503 for the registration',
      { '/register': () => ({ status: 503, body: 'Busy' }) },
      'The authorization server ORIGIN answered the registration of a client with status 503. Try again later, or enter a client id under Advanced. The server says: “Busy”',
    ],
    [
      'plain PKCE only',
      metadata({ code_challenge_methods_supported: ['plain'] }),
      `The authorization server ORIGIN/ does not protect its codes with PKCE and S256, which MCP requires. ${correct}`,
    ],
    [
      'no code',
      metadata({ response_types_supported: ['token'] }),
      `The authorization server ORIGIN/ does not offer the sign-in with a code. ${correct}`,
    ],
    [
      'no page for signing in',
      metadata({ authorization_endpoint: null }),
      `The authorization server ORIGIN/ names no page for signing in. ${correct}`,
    ],
    [
      'another path as resource',
      resource((origin) => ({ resource: `${origin}/other` })),
      'The server says that its address is ORIGIN/other. Enter that address as URL, or ask those who run the server to correct it.',
    ],
    [
      'another issuer',
      metadata({ issuer: `${closed}/other` }),
      `The authorization server ${closed} refused the connection. Check the address, and that the server is running.`,
    ],
    [
      'only dead servers',
      resource(() => ({ authorization_servers: [closed] })),
      `The authorization server ${closed} refused the connection. Check the address, and that the server is running.`,
    ],
    [
      'only slow servers',
      { [serverPath]: () => null },
      'The authorization server ORIGIN did not respond in time. Try again later.',
    ],
    [
      'a token of another type',
      tokens({ token_type: 'mac' }),
      `The authorization server ORIGIN issued a token of the type "mac", but MCP uses bearer tokens only. ${correct}`,
    ],
    [
      'no token',
      tokens({ access_token: null }),
      `The authorization server ORIGIN answered the request for an access token without one. ${correct}`,
    ],
    [
      'a page in place of a token',
      { '/token': () => page },
      `The authorization server ORIGIN answered the request for an access token without one. ${correct}`,
    ],
    [
      'a redirect in place of a token',
      { '/token': ({ origin }) => ({ status: 302, headers: { location: `${origin}/login` } }) },
      `The authorization server ORIGIN redirects a request that it should answer. ${correct}`,
    ],
    [
      'a redirect to another origin',
      { '/token': () => ({ status: 302, headers: { location: `${closed}/login` } }) },
      `The authorization server ORIGIN redirects a request that it should answer. ${correct}`,
    ],
    [
      'an error with a description',
      {
        '/token': () => ({
          status: 400,
          body: { error: 'invalid_grant', error_description: 'The code has expired.' },
        }),
      },
      `${asked} with the error invalid_grant. Connect again. The server says: “The code has expired.”`,
    ],
    [
      'an error with an address',
      {
        '/token': () => ({
          status: 400,
          body: { error: 'invalid_grant', error_uri: 'https://evil.example' },
        }),
      },
      `${asked} with the error invalid_grant. Connect again.`,
    ],
    [
      'an error with status 200',
      {
        '/token': () => ({
          body: { error: 'bad_verification_code', error_description: 'The code passed is incorrect.' },
        }),
      },
      `${asked} with the error bad_verification_code. Connect again. The server says: “The code passed is incorrect.”`,
    ],
    [
      'an error as a form',
      { '/token': () => ({ body: 'error=incorrect_client&error_description=Wrong+client' }) },
      `${asked} with the error incorrect_client. Connect again. The server says: “Wrong client”`,
    ],
    [
      'an error as an object',
      { '/token': () => ({ status: 403, body: { error: { code: 7, message: 'Not allowed.' } } }) },
      `${asked} with status 403. Connect again. The server says: “Not allowed.”`,
    ],
    [
      'an error as a page',
      { '/token': () => ({ ...page, status: 500 }) },
      `${asked} with status 500. Try again later.`,
    ],
    [
      'an unknown client',
      { '/token': () => ({ status: 401, body: { error: 'invalid_client' } }) },
      `${asked} with the error invalid_client. Check the client id and secret under Advanced.`,
    ],
    [
      'an echo of what was sent',
      {
        '/token': ({ form }) => ({
          status: 400,
          body: { error: 'invalid_grant', error_description: `Bad code ${form.get('code')}` },
        }),
      },
      `${asked} with the error invalid_grant. Connect again. The server says: “Bad code …”`,
    ],
    [
      'no token accepted',
      { '/token': () => ({ body: { access_token: 'x y' } }) },
      'The authorization server returned an access token with a space, a line break or another character that no request can carry. Connect again, or report this to those who run that server.',
    ],
  ])('%s', async (_, answers, sentence) => {
    expect((await tryServer(answers)).replace(/^(AppError|failed): /, '')).toBe(sentence)
  })

  it.each<[string, Record<string, string>, string]>([
    ['the user cancels', { error: 'access_denied' }, 'denied: null'],
    [
      'the server denies and says why',
      { error: 'access_denied', error_description: 'Ask your administrator.' },
      'denied: The consent was not given. The server says: “Ask your administrator.”',
    ],
    [
      'the server fails',
      { error: 'server_error', error_description: 'Out of order' },
      'failed: The authorization server ORIGIN returned no authorization code. Its error: server_error. The server says: “Out of order”',
    ],
    [
      'there is no code',
      {},
      'failed: The authorization server ORIGIN returned no authorization code. Its error: none.',
    ],
    ['the state is missing', { state: '', code: 'x' }, 'expired: null'],
    [
      'the issuer is another one',
      { code: 'x', iss: 'https://evil.example' },
      'failed: You came back from another authorization server than the one that you were sent to, so nothing was sent to it. Connect again, and if that happens again, ask those who run the server.',
    ],
    [
      'the issuer is no address',
      { code: 'x', iss: 'me' },
      'failed: You came back from another authorization server than the one that you were sent to, so nothing was sent to it. Connect again, and if that happens again, ask those who run the server.',
    ],
    [
      'the issuer has a slash, which RFC 9207 does not allow',
      { code: 'x', iss: 'ORIGIN/' },
      'failed: You came back from another authorization server than the one that you were sent to, so nothing was sent to it. Connect again, and if that happens again, ask those who run the server.',
    ],
  ])('%s', async (_, back, sentence) => {
    const answers: SloppyAnswers = {
      '/authorize': ({ query, origin }) => {
        const url = new URL(query.get('redirect_uri') ?? '')
        const filled = Object.entries(back).map(([key, value]): [string, string] => [
          key,
          value.replace('ORIGIN', origin),
        ])
        url.search = new URLSearchParams([['state', query.get('state') ?? ''], ...filled]).toString()
        if (back['state'] !== undefined) url.searchParams.set('state', back['state'])
        return { status: 302, headers: { location: url.href } }
      },
    }
    expect(await tryServer(answers)).toBe(sentence)
  })

  it('asks for the issuer that its metadata announces', async () => {
    const sentence = await tryServer(metadata({ authorization_response_iss_parameter_supported: true }))
    expect(sentence).toContain('failed: The answer did not come from the authorization server that was asked')
  })

  it('does not lead to a consent again when the token that was just issued is refused', async () => {
    const server = await startSloppyServer({
      '/mcp': () => ({ status: 401, body: { error: 'Your plan has no MCP.' } }),
      '/token': ({ usual }) => ({ body: { ...usual, access_token: 'not.known', refresh_token: null } }),
    })
    const sentence = await useConnector(server)
    expect(sentence).toBe(
      'failed: The server refuses the token that its authorization server has just issued. Ask those who run the server. The server says: “Your plan has no MCP.”',
    )
    await server.close()
  })
})

describe('a client that the user has registered', () => {
  const own = { client_id: 'own', client_secret: 'own-secret?' }
  it.each<[string, readonly string[] | undefined, 'basic' | 'post']>([
    ['basic by default', undefined, 'basic'],
    ['basic', ['client_secret_basic'], 'basic'],
    ['post', ['client_secret_post'], 'post'],
    ['basic before post', ['client_secret_post', 'client_secret_basic'], 'basic'],
  ])('sends its secret as the server wants it: %s', async (_, methods, kind) => {
    const seen: string[] = []
    const answers: SloppyAnswers = {
      ...metadata({ token_endpoint_auth_methods_supported: methods, registration_endpoint: undefined }),
      '/token': ({ usual, headers, form }) => {
        seen.push(headers.authorization === undefined ? (form.get('client_secret') ?? 'none') : 'basic')
        return { body: usual }
      },
    }
    expect(await tryServer(answers, own)).toBe('works')
    expect(new Set(seen)).toEqual(new Set([kind === 'basic' ? 'basic' : own.client_secret]))
  })

  it('is used at the usual addresses of a server without metadata', async () => {
    const answers = {
      ...challenge(() => undefined),
      [resourcePath]: () => missing,
      [serverPath]: () => missing,
      '/register': () => missing,
    }
    expect(await tryServer(answers, own)).toBe('works')
  })

  it('is registered with a secret at a server that has no public clients', async () => {
    const requested: unknown[] = []
    const answers: SloppyAnswers = {
      ...metadata({ token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
      '/register': ({ body }) => {
        requested.push(
          (JSON.parse(body) as { token_endpoint_auth_method: string }).token_endpoint_auth_method,
        )
        return { status: 201, body: { client_id: 'registered', client_secret: 'issued-secret' } }
      },
      '/token': ({ usual, headers }) =>
        headers.authorization?.startsWith('Basic ')
          ? { body: usual }
          : { status: 401, body: { error: 'invalid_client' } },
    }
    expect(await tryServer(answers)).toBe('works')
    expect(requested).toEqual(['client_secret_basic'])
  })
})

describe('a refresh', () => {
  const refreshed = (answer: (usual: Readonly<Record<string, unknown>>) => object): SloppyAnswers => ({
    '/token': ({ usual, form }) =>
      form.get('grant_type') === 'refresh_token' ? answer(usual) : { body: usual },
  })

  it.each<[string, SloppyAnswers]>([
    [
      'returns no other refresh token',
      refreshed((usual) => ({ body: { ...usual, refresh_token: undefined } })),
    ],
    ['returns null as refresh token', refreshed((usual) => ({ body: { ...usual, refresh_token: null } }))],
    [
      'returns a form',
      refreshed((usual) => ({ body: new URLSearchParams(usual as Record<string, string>).toString() })),
    ],
  ])('%s', async (_, answers) => {
    expect(await tryServer(answers)).toBe('works')
  })

  it.each<[string, object | null, string]>([
    [
      'is refused',
      { status: 400, body: { error: 'invalid_grant' } },
      "needs the user's authorization. Connect it",
    ],
    [
      'fails',
      { status: 503, body: { error: 'temporarily_unavailable', error_description: 'Soon' } },
      'with the error temporarily_unavailable. Try again later. The server says: “Soon”',
    ],
    ['takes too long', null, 'The authorization server ORIGIN did not respond in time. Try again later.'],
  ])('%s', async (_, answer, sentence) => {
    expect(await tryServer(refreshed(() => answer as object))).toContain(sentence)
  })

  it('is not needed by a server that issues no refresh token', async () => {
    expect(await tryServer(tokens({ refresh_token: null }))).toContain("needs the user's authorization")
  })
})

describe('a server without OAuth', () => {
  const nothing: SloppyAnswers = {
    [resourcePath]: () => missing,
    [serverPath]: () => missing,
    '/register': () => missing,
  }
  const ask =
    'AppError: The server refused access and offers no sign-in. Enter a token, or a header such as X-API-Key under Advanced.'

  it.each<[string, SloppyAnswers, string]>([
    ['401', { '/mcp': () => ({ status: 401 }) }, ask],
    [
      '401 with words',
      { '/mcp': () => ({ status: 401, body: { message: 'No API key found in request' } }) },
      `${ask} The server says: “No API key found in request”`,
    ],
    [
      '401 with plain words',
      { '/mcp': () => ({ status: 401, body: 'Unauthorized' }) },
      `${ask} The server says: “Unauthorized”`,
    ],
    ['401 with a page', { '/mcp': () => ({ ...page, status: 401 }) }, ask],
    ['401 with another scheme', challenge(() => 'ApiKey realm="x"'), ask],
    [
      '403 with words',
      { '/mcp': () => ({ status: 403, body: { detail: 'Not authenticated' } }) },
      `${ask} The server says: “Not authenticated”`,
    ],
    [
      'a JSON-RPC error',
      {
        '/mcp': () => ({
          status: 401,
          body: { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Bad key' } },
        }),
      },
      `${ask} The server says: “Bad key”`,
    ],
    [
      'a page for everything',
      {
        '/mcp': () => ({ status: 401 }),
        [resourcePath]: () => page,
        [serverPath]: () => page,
        '/register': () => page,
      },
      ask,
    ],
  ])('asks for a token and quotes the server: %s', async (_, answers, sentence) => {
    expect(await tryServer({ ...nothing, ...answers })).toBe(sentence)
  })
})

describe('addresses', () => {
  it.each([
    ['https://a.example/mcp', 'https://A.example:443/mcp/', true],
    ['https://a.example/mcp/', 'https://a.example/mcp', true],
    ['https://a.example/mcp?key=1', 'https://a.example', true],
    ['https://a.example/mcp', 'https://a.example/mc', false],
    ['https://a.example/mcp', 'http://a.example/mcp', false],
    ['https://a.example/mcp', 'https://a.example:8443/mcp', false],
    ['https://a.example/mcp', 'https://a.example/mcp/v2', false],
  ])('%s belongs to the resource %s: %s', (url, named, expected) => {
    expect(isWithin(new URL(url), named)).toBe(expected)
  })

  it.each([
    ['https://a.example', 'https://A.EXAMPLE:443/', true],
    ['https://a.example/x', 'https://a.example/x/', true],
    ['https://a.example/x', 'https://a.example/X', false],
    ['https://a.example', 'http://a.example', false],
    ['https://a.example', 'https://b.example', false],
  ])('%s and %s are the same issuer: %s', (first, second, expected) => {
    expect(isSameIssuer(first, second)).toBe(expected)
  })
})
