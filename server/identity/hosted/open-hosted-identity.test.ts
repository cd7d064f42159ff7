import { createHash, createHmac, generateKeyPairSync } from 'node:crypto'
import type { ClientSettings } from '@yonder/contract/identity'
import { exportJWK, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import {
  openHostileIdentityProvider,
  signingAlgorithms,
  type Faults,
  type HostileIdentityProvider,
  type Signing,
} from '../../testing/identity/hostile-identity-provider.ts'
import {
  openIdentityServer,
  testSecret,
  type IdentityServer,
} from '../../testing/identity/identity-server.ts'
import { deleteUser, disableUser, enableUser, readIssuer, requireManagedUser } from '../users/manage-users.ts'
import { processPendingUsers } from '../users/user-maintenance.ts'

const clock = { offset: 0 }
let database: TestDatabase
let provider: HostileIdentityProvider
const opened: IdentityServer[] = []

beforeAll(async () => {
  database = await openTestDatabase('sqlite')
  provider = await openHostileIdentityProvider()
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  provider.faults = {}
  provider.forget()
  clock.offset = 0
  await Promise.all(opened.splice(0).map((server) => server.close()))
})
afterAll(async () => {
  await provider.close()
  await database.close()
})

async function open(environment: Readonly<Record<string, string>> = {}): Promise<IdentityServer> {
  const { issuer, clientId, audience } = provider
  const server = await openIdentityServer({
    database,
    clock,
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_AUDIENCE: audience,
      ...environment,
    },
  })
  opened.push(server)
  return server
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
const countOf = (path: string) => provider.calls.filter((call) => call === `GET ${path}`).length

describe('an access token of a hosted provider', () => {
  it('is accepted, and its claims provide the profile', async () => {
    const server = await open()
    const response = await server.readUser(await provider.mint())
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ sub: 'user-1', name: 'Grace Hopper' })
    expect(countOf('/userinfo')).toBe(0)
  })

  it('is refused from the next request on when its user is disabled, and the profile is not updated', async () => {
    const server = await open()
    const token = await provider.mint({ sub: 'disabled-user' })
    expect((await server.readUser(token)).status).toBe(200)
    const deps = {
      ...readIssuer(server.config),
      database,
      sealer: createSealer(testSecret),
      now: Date.now,
    }
    await disableUser(deps, 'disabled-user')
    expect((await server.readUser(token)).status).toBe(401)
    await enableUser(deps, 'disabled-user')
    expect((await server.readUser(token)).status).toBe(200)

    await deleteUser(deps, 'disabled-user')
    await processPendingUsers({
      database,
      embedded: false,
      revokeTokens: () => Promise.resolve(),
      deleteData: () => Promise.resolve(),
      onError: () => undefined,
    })
    expect((await server.readUser(token)).status).toBe(401)
    const row = await database.db
      .selectFrom('users')
      .selectAll()
      .where('subject', '=', 'disabled-user')
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ name: null, email: null, picture: null, pending: null })
    expect(row.disabled_at).not.toBeNull()
  })

  it('is checked with a leeway of sixty seconds on both sides (§9.15)', async () => {
    const server = await open()
    const statusOf = async (claims: object) =>
      (await server.readUser(await provider.mint({ ...claims }))).status
    expect(await statusOf({ exp: inSeconds(-30) })).toBe(200)
    expect(await statusOf({ exp: inSeconds(-120) })).toBe(401)
    expect(await statusOf({ nbf: inSeconds(30) })).toBe(200)
    expect(await statusOf({ nbf: inSeconds(600) })).toBe(401)
  })

  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://evil.example' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'https://other.example/api' }],
    ['no audience', { aud: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is not a number', { exp: 'tomorrow' }],
    ['an expiry in milliseconds', { exp: Date.now() + 300_000 }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a number as subject', { sub: 7 }],
    ["an ID token's type", { typ: 'ID' }],
  ])('is refused with %s, and no user is stored', async (_name, claims) => {
    const server = await open()
    const before = await countUsers()
    const response = await server.readUser(await provider.mint({ sub: 'new-user', ...claims }))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject({ error: { code: 'unauthenticated' } })
    expect(await countUsers()).toBe(before)
  })

  it.each(['forged', 'none', 'none with signature', 'hmac with the public key'] as const)(
    'is refused with the signature "%s"',
    async (signing) => {
      const server = await open()
      expect((await server.readUser(await provider.mint({}, signing))).status).toBe(401)
    },
  )

  it('is refused when it contains its own key', async () => {
    const server = await open()
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const token = await new SignJWT({ sub: 'user-1', aud: provider.audience, iss: provider.issuer })
      .setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(publicKey) })
      .setExpirationTime('5m')
      .sign(privateKey)
    expect((await server.readUser(token)).status).toBe(401)
  })

  it('is refused when a shared secret could have signed it', async () => {
    const server = await open()
    const text = `${encodePart({ alg: 'HS256' })}.${encodePart({ sub: 'x', exp: inSeconds(300) })}`
    const signature = createHmac('sha256', 'secret').update(text).digest('base64url')
    expect((await server.readUser(`${text}.${signature}`)).status).toBe(401)
  })

  it.each<[string, string]>([
    ['one word', 'rubbish'],
    ['ten thousand dots', '.'.repeat(10_000)],
    ['three empty parts', '..'],
  ])('is refused when it is not a JWT but %s', async (_name, token) => {
    const server = await open()
    expect((await server.readUser(token)).status).toBe(401)
  })
})

it('stores the last use of a user, once an hour', async () => {
  const server = await open()
  const token = await provider.mint({ sub: 'used', exp: inSeconds(36_000) })
  const readUse = async () => {
    expect((await server.readUser(token)).status).toBe(200)
    const deps = { ...readIssuer(server.config), database, sealer: createSealer(testSecret), now: Date.now }
    return (await requireManagedUser(deps, 'used')).usedAt ?? 0
  }
  const first = await readUse()
  expect(Math.abs(first - Date.now())).toBeLessThan(60_000)
  clock.offset = 3_000_000
  expect(await readUse()).toBe(first)
  clock.offset = 4_000_000
  expect(await readUse()).toBeGreaterThanOrEqual(first + 4_000_000)
})

describe('the profile', () => {
  it("is read from the provider's userinfo once when the token has none", async () => {
    const server = await open()
    provider.user = { sub: 'plain', name: 'Plain User', email: 'plain@example.com' }
    const token = await provider.mint({ name: undefined, email: undefined })
    expect(await (await server.readUser(token)).json()).toMatchObject({ name: 'Plain User' })
    await server.readUser(token)
    expect(countOf('/userinfo')).toBe(1)
  })

  it('is refreshed when the claims change, and kept when userinfo is unavailable', async () => {
    const server = await open()
    await server.readUser(await provider.mint({ sub: 'renamed', name: 'Old', email: 'old@example.com' }))
    const renamed = await provider.mint({ sub: 'renamed', name: 'New', email: 'new@example.com' })
    expect(await (await server.readUser(renamed)).json()).toMatchObject({ name: 'New' })
    provider.faults = { status: { '/userinfo': 500 } }
    const bare = await provider.mint({ sub: 'renamed', name: undefined, email: undefined })
    expect(await (await server.readUser(bare)).json()).toMatchObject({
      name: 'New',
      email: 'new@example.com',
    })
  })

  it('is read from the ID token where the access token has none, and stays', async () => {
    const server = await open()
    provider.faults = { status: { '/userinfo': 401 } }
    const bare = { sub: 'entra', email: undefined }
    const token = await provider.mint({ ...bare, name: undefined, preferred_username: 'ada@contoso' })
    expect(await (await server.readUser(token)).json()).toMatchObject({ name: 'ada@contoso', email: null })
    const forClient = { sub: 'entra', aud: provider.clientId, nonce: 'n' }
    const idToken = await provider.mint({ ...forClient, name: 'Ada', email: 'ada@contoso.example' })
    const known = { name: 'Ada', email: 'ada@contoso.example' }
    expect(await sendIdToken(server, token, idToken)).toMatchObject({ status: 200, ...known })
    // The name of the sign-in in a later access token does not replace the name.
    expect(await (await server.readUser(token)).json()).toMatchObject(known)
    const named = await provider.mint({ ...bare, name: 'Ada of the access token' })
    expect(await sendIdToken(server, named, idToken)).toMatchObject({ name: 'Ada of the access token' })
  })

  it('is read from the ID token of Okta, whose subject is the uid of the access token', async () => {
    const server = await open()
    const token = await provider.mint({
      sub: 'ada@example.com',
      uid: '00u1',
      name: undefined,
      email: undefined,
    })
    const idToken = await provider.mint({ sub: '00u1', aud: provider.clientId, name: 'Ada of Okta' })
    expect(await sendIdToken(server, token, idToken)).toMatchObject({ status: 200, name: 'Ada of Okta' })
  })

  it.each<[string, Record<string, unknown>, Signing]>([
    ['of another user', { sub: 'other' }, 'good'],
    ['for another client', { aud: 'other' }, 'good'],
    ['for two clients, of which none is named', { aud: ['yonder-web', 'other'] }, 'good'],
    ['from another issuer', { iss: 'https://evil.example' }, 'good'],
    ['that has expired', { exp: 1 }, 'good'],
    ['with another signature', {}, 'forged'],
    ['without a signature', {}, 'none'],
    ['with a shared secret', {}, 'hmac with the public key'],
  ])('is not read from an ID token %s', async (_name, claims, signing) => {
    const server = await open()
    const token = await provider.mint({ sub: 'careful', name: 'Right', email: undefined })
    await server.readUser(token)
    const forged = { sub: 'careful', aud: provider.clientId, email: 'forged@example.com', ...claims }
    expect((await sendIdToken(server, token, await provider.mint(forged, signing))).status).toBe(400)
    expect(await (await server.readUser(token)).json()).toMatchObject({ name: 'Right', email: null })
  })

  it('is not read from the userinfo of another user', async () => {
    const server = await open()
    provider.user = { sub: 'another-user', name: 'Another User' }
    const token = await provider.mint({ sub: 'nameless', name: undefined })
    expect(await (await server.readUser(token)).json()).toMatchObject({ sub: 'nameless', name: null })
  })
})

describe('the algorithms of the provider', () => {
  it.each(signingAlgorithms)('may be %s, for access tokens, ID tokens and userinfo', async (algorithm) => {
    provider.faults = { algorithm, signsUserinfo: true }
    provider.user = { sub: `user-of-${algorithm}`, email: 'signed@example.com' }
    const server = await open()
    const token = await provider.mint({ email: undefined })
    expect(await (await server.readUser(token)).json()).toMatchObject({ email: 'signed@example.com' })
    const idToken = await provider.mint({ aud: provider.clientId, name: 'Named in the ID token' })
    expect((await sendIdToken(server, token, idToken)).name).toBe('Named in the ID token')
  })

  it.each<[string, Faults]>([
    ['two keys that fit, and a token that names none', { publish: (keys) => keys.map(without('kid')) }],
    ['keys without algorithm and use', { publish: (keys) => keys.map(without('alg', 'use')) }],
    [
      'keys of unknown kinds before it',
      {
        publish: (keys) => [
          { kty: 'AKP', alg: 'ML-DSA-44', pub: 'AA', kid: 'a' },
          { kty: 'EC', crv: 'secp256k1', x: 'AA', y: 'AA', kid: 'b' },
          { kty: 'oct', k: 'c2VjcmV0', kid: 'c' },
          ...keys,
        ],
      },
    ],
    ['null in the discovery document', { discovery: { userinfo_endpoint: null, revocation_endpoint: null } }],
    ['no list of algorithms', { discovery: { id_token_signing_alg_values_supported: undefined } }],
  ])('may come with %s', async (_name, faults) => {
    provider.faults = faults
    await provider.rotate()
    const server = await open()
    const token = await provider.mint({}, 'good', faults.publish === undefined ? {} : { kid: undefined })
    expect((await server.readUser(token)).status).toBe(200)
  })
})

const without =
  (...names: readonly string[]) =>
  (key: object) =>
    Object.fromEntries(Object.entries(key).filter(([name]) => !names.includes(name)))

async function sendIdToken(server: IdentityServer, token: string, idToken: string) {
  const response = await fetch(`${server.baseUrl}/api/auth/id-token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id_token: idToken }),
  })
  return { status: response.status, ...((await response.json()) as { name?: string; email?: string }) }
}

describe('the reason of a refusal names what was expected and received', () => {
  const entra = 'https://sts.windows.net/tenant/'
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['an issuer', { iss: entra }, /issuer "https:\/\/sts\.windows\.net\/tenant\/" \(iss\).*\(OIDC_ISSUER\)/],
    ['an audience', { aud: ['a', 'b'] }, /audience \["a","b"\] \(aud\), .* expects ".*" \(OIDC_AUDIENCE\)/],
    ['no audience', { aud: undefined }, /audience nothing \(aud\)/],
    [
      'an expiry',
      { exp: 1_700_000_000 },
      /exp is 2023-11-14T22:13:20.000Z, the clock of this server shows 20/,
    ],
    ['a start', { nbf: 4_000_000_000 }, /nbf is 2096-.*the clock of this server shows/],
    ['no subject', { sub: undefined }, /"sub"/],
    ['a type', { typ: 'Refresh' }, /type "Refresh" \(typ\)/],
    ['invisible characters', { aud: 'a\n\u202eb' }, /audience "a\\nb" \(aud\)/],
  ])('%s', async (_name, claims, reason) => {
    expect(await refusalOf(await provider.mint(claims))).toMatch(reason)
  })

  it('a key', async () => {
    const token = await provider.mint({}, 'good', { kid: 'gone' })
    expect(await refusalOf(token)).toMatch(/key "gone" \(kid, RS256\), which the provider does not publish/)
  })

  it('a token for another API, whose signature only that API can check', async () => {
    const token = await provider.mint({ aud: '00000003-0000' }, 'forged')
    expect(await refusalOf(token)).toMatch(/audience "00000003-0000" \(aud\)/)
  })

  it('an opaque, an encrypted and a symmetric token', async () => {
    expect(await refusalOf('0123456789abcdef')).toMatch(/is not a JWT, .*\(OIDC_AUDIENCE\)/)
    expect(await refusalOf('a.b.c.d.e')).toMatch(/is encrypted/)
    expect(await refusalOf(await provider.mint({}, 'hmac with the public key'))).toMatch(/"HS256" \(alg\)/)
  })

  async function refusalOf(token: string): Promise<string> {
    const server = await open()
    const response = await server.readUser(token)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(response.status).toBe(401)
    expect(error.message).not.toContain(token)
    return error.message
  }
})

describe('a provider that cannot be used', () => {
  it.each<[string, Faults, Record<string, string>, RegExp]>([
    [
      'another issuer',
      { discovery: { issuer: 'https://other.example' } },
      {},
      /the issuer in the discovery document is/,
    ],
    [
      'the issuer of all tenants',
      { discovery: { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' } },
      {},
      /Name yours: https:\/\/login\.microsoftonline\.com\/<tenant id>\/v2\.0/,
    ],
    ['no discovery document', { status: { '/.well-known/openid-configuration': 404 } }, {}, /status 404/],
    ['no keys', { discovery: { jwks_uri: undefined } }, {}, /jwks_uri/],
  ])('is named before anyone signs in: %s', async (_name, faults, environment, reason) => {
    provider.faults = faults
    const server = await open(environment)
    const { identity } = (await (await fetch(`${server.baseUrl}/api/settings`)).json()) as ClientSettings
    expect(identity.problem).toMatch(reason)
    const response = await server.readUser(await provider.mint())
    expect(response.status).toBe(503)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toMatch(reason)
  })
})

describe('unavailable keys', () => {
  it.each(['/jwks', '/.well-known/openid-configuration'])(
    'give 503, never 401, when %s responds with 500',
    async (path) => {
      provider.faults = { status: { [path]: 500 } }
      const server = await open()
      const response = await server.readUser(await provider.mint())
      expect(response.status).toBe(503)
      expect(await response.json()).toMatchObject({ error: { code: 'identity_unavailable' } })
      // No restart is needed once the provider responds again.
      provider.faults = {}
      expect((await server.readUser(await provider.mint())).status).toBe(200)
    },
  )

  it('cause 503 when the provider refuses the connection', async () => {
    const closed = await openHostileIdentityProvider()
    await closed.close()
    const server = await open({ OIDC_ISSUER: closed.issuer })
    expect((await server.readUser(await closed.mint())).status).toBe(503)
  })

  it('cause 503 when the provider does not respond within ten seconds (§9.15)', async () => {
    provider.faults = { hang: ['/jwks'] }
    const server = await open()
    const token = await provider.mint()
    const timer = new Promise<{ readonly ms: number; readonly controller: AbortController }>((resolve) => {
      vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
        const controller = new AbortController()
        resolve({ ms, controller })
        return controller.signal
      })
    })
    const response = server.readUser(token)
    const { ms, controller } = await timer
    expect(ms).toBe(10_000)
    controller.abort(new DOMException('The provider did not respond.', 'TimeoutError'))
    expect((await response).status).toBe(503)
  })
})

describe('a new key of the provider', () => {
  it('is accepted ten seconds after the keys were last read, without a restart', async () => {
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    const server = await open()
    const old = await provider.mint()
    expect((await server.readUser(old)).status).toBe(200)
    await provider.rotate()
    const fresh = await provider.mint()
    vi.setSystemTime(start + 9_999)
    expect((await server.readUser(fresh)).status).toBe(401)
    vi.setSystemTime(start + 10_000)
    expect((await server.readUser(fresh)).status).toBe(200)
    expect((await server.readUser(old)).status).toBe(200)
  })

  it('is not requested for invented key ids', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const server = await open()
    await server.readUser(await provider.mint())
    const before = countOf('/jwks')
    for (let index = 0; index < 50; index += 1) {
      const kid = createHash('sha256').update(String(index)).digest('hex')
      expect((await server.readUser(await provider.mint({}, 'good', { kid }))).status).toBe(401)
    }
    expect(countOf('/jwks')).toBe(before)
  })
})

describe('an audience that is the client id', () => {
  const environment = (allowed: Record<string, string>) => ({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_AUDIENCE: provider.clientId,
    ...allowed,
  })

  it('prevents the start, and the error explains how to allow it', () => {
    expect(() => parseConfig(environment({}))).toThrow(/OIDC_ALLOW_CLIENT_ID_AUDIENCE=true/)
    expect(() => parseConfig(environment({ OIDC_ALLOW_CLIENT_ID_AUDIENCE: 'true' }))).not.toThrow()
  })

  it.each(['nonce', 'at_hash', 'c_hash'])(
    'refuses a token with the claim %s, which only ID tokens have',
    async (claim) => {
      const server = await open(environment({ OIDC_ALLOW_CLIENT_ID_AUDIENCE: 'true' }))
      const aud = provider.clientId
      expect((await server.readUser(await provider.mint({ aud }))).status).toBe(200)
      expect((await server.readUser(await provider.mint({ aud, [claim]: 'x' }))).status).toBe(401)
    },
  )

  it.each(['uid', 'scope', 'scp', 'client_id'])(
    'accepts a token with a nonce that has the claim %s of an access token, as of Authentik',
    async (claim) => {
      const server = await open(environment({ OIDC_ALLOW_CLIENT_ID_AUDIENCE: 'true' }))
      const token = await provider.mint({ aud: provider.clientId, nonce: 'n', [claim]: 'x' })
      expect((await server.readUser(token)).status).toBe(200)
    },
  )
})

it('returns the issuer to the browser, and the origins that it may contact', async () => {
  const { config, identity, baseUrl } = await open({ OIDC_GOOGLE_PARAMS: 'kc_idp_hint=google' })
  const settings = await (await fetch(`${baseUrl}/api/settings`)).json()
  expect(settings).toEqual({
    identity: {
      issuer: provider.issuer,
      clientId: provider.clientId,
      audience: provider.audience,
      googleParams: { kc_idp_hint: 'google' },
      embedded: false,
    },
    sourceUrl: config.sourceUrl,
    demoShareId: 'demo',
  })
  expect(identity.browserOrigins()).toEqual([provider.issuer])
})

it.each<[Record<string, string>, object]>([
  [{ OIDC_PROVIDER_NAME: 'Contoso' }, { providerName: 'Contoso', googleParams: {} }],
  [
    { OIDC_PROVIDER_NAME: 'Contoso', OIDC_GOOGLE_PARAMS: 'kc_idp_hint=google' },
    { providerName: 'Contoso', googleParams: { kc_idp_hint: 'google' } },
  ],
  [{}, { googleParams: { connection: 'google-oauth2' } }],
  [{ OIDC_PARAMS: 'scope=api://a/b&prompt=login' }, { params: { scope: 'api://a/b', prompt: 'login' } }],
])('tells the browser the name and the parameters of the provider: %o', async (environment, expected) => {
  const { identity } = await open(environment)
  expect(identity.clientSettings).toMatchObject(expected)
  expect('providerName' in identity.clientSettings).toBe('OIDC_PROVIDER_NAME' in environment)
})

it('accepts reports of failed sign-ins, sixty a minute, and no long ones', async () => {
  const server = await open()
  const report = async (body: object) =>
    (
      await fetch(`${server.baseUrl}/api/sign-in-failures`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).status
  expect(await report({ sentence: 'x', claim: 'aud', expected: 'a', received: 'b'.repeat(401) })).toBe(400)
  for (let count = 1; count < 60; count += 1) expect(await report({ sentence: 'x', claim: 'aud' })).toBe(204)
  expect(await report({ sentence: 'x' })).toBe(429)
})

it('updates the allowed origins when the provider becomes available after the start', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  provider.faults = { status: { '/.well-known/openid-configuration': 500 } }
  const server = await open()
  const readPolicy = async () =>
    (await fetch(`${server.baseUrl}/api/settings`)).headers.get('content-security-policy')
  expect(await readPolicy()).toContain(`connect-src 'self' ${provider.issuer};`)

  provider.faults = { tokenEndpoint: 'https://tokens.example/token' }
  provider.forget()
  clock.offset = 4_999
  await readPolicy()
  expect(countOf('/.well-known/openid-configuration')).toBe(0)
  clock.offset = 5_000
  await expect.poll(readPolicy).toContain(`connect-src 'self' ${provider.issuer} https://tokens.example;`)
  clock.offset = 60_000
  await readPolicy()
  expect(countOf('/.well-known/openid-configuration')).toBe(1)
})

async function countUsers(): Promise<number> {
  const rows = await database.db.selectFrom('users').select('id').execute()
  return rows.length
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
