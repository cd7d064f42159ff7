import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { TestInstallation } from '../../testing/doctor/installation.ts'
import {
  openHostileIdentityProvider,
  type Faults,
  type HostileIdentityProvider,
} from '../../testing/identity/hostile-identity-provider.ts'
import { makeAuthority, makeCertificate } from '../../tls/certificates.ts'

describe('yonder doctor and the provider of models', () => {
  const installation = new TestInstallation('sqlite')
  let status = 200
  const provider = createServer((request, response) => {
    const isRight = request.headers.authorization === 'Bearer key-of-the-operator'
    response
      .writeHead(isRight ? status : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ data: [{ id: 'small' }] }))
  })
  let baseUrl: string
  beforeAll(async () => {
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
    baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  })
  afterEach(() => {
    status = 200
  })
  afterAll(() => {
    provider.closeAllConnections()
    provider.close()
  })

  const diagnose = (settings: Record<string, string> = {}) =>
    installation.diagnose({
      DEFAULT_MODEL_BASE_URL: baseUrl,
      DEFAULT_MODEL_API_KEY: 'key-of-the-operator',
      ...settings,
    })

  it('finds no problem when the provider lists the models of the default bots', async () => {
    const bots = JSON.stringify([{ name: 'Helper', model: 'small' }])
    expect(await diagnose({ DEFAULT_BOTS: bots })).toMatchObject({ code: 0, complaints: [] })
  })

  it('names a key that is refused, without printing it', async () => {
    const { code, complaints } = await diagnose({ DEFAULT_MODEL_API_KEY: 'a-wrong-key-of-the-operator' })
    expect(complaints).toEqual([expect.stringMatching(/^problem, model: DEFAULT_MODEL_BASE_URL: .*key/)])
    expect(complaints[0]).not.toContain('a-wrong-key')
    expect(code).toBe(1)
  })

  it('names a provider that cannot be reached', async () => {
    const { code, complaints } = await diagnose({ DEFAULT_MODEL_BASE_URL: 'http://127.0.0.1:19998/v1' })
    expect(complaints).toEqual([expect.stringMatching(/^problem, model: /)])
    expect(code).toBe(1)
  })

  it('names a model of a default bot that is not in the list, and a missing list', async () => {
    const bots = JSON.stringify([{ name: 'Helper', model: 'large', title_model: 'namer' }])
    const { code, complaints } = await diagnose({ DEFAULT_BOTS: bots })
    expect(complaints).toEqual([expect.stringMatching(/^warning, model: .* does not list large, namer/)])
    expect(code).toBe(0)
    status = 404
    expect((await diagnose()).complaints).toEqual([
      expect.stringMatching(/^warning, model: .*no list of models/),
    ])
  })
})

describe('yonder doctor and an authority of the operator', () => {
  const installation = new TestInstallation('sqlite')
  const now = Date.now()
  const authority = makeAuthority('provider.lan', now)
  const { certificate: cert, key } = makeCertificate(authority, ['localhost', '127.0.0.1'], now)
  const provider = createSecureServer({ cert, key }, (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"small"}]}'),
  )
  afterEach(() => {
    vi.unstubAllEnvs()
    provider.close()
  })

  it('accepts its certificates also with TLS=local', async () => {
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
    const path = installation.path('operator.pem')
    writeFileSync(path, authority.certificate)
    mkdirSync(installation.path('tls'))
    writeFileSync(installation.path('tls/ca.crt'), makeAuthority('nas.local', now).certificate)
    // Of the process, whatever the machine has: Node reads no setting.
    vi.stubEnv('NODE_EXTRA_CA_CERTS', path)
    const { findings } = await installation.diagnose({
      TLS: 'local',
      DEFAULT_MODEL_BASE_URL: `https://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
    })
    expect(findings).toContainEqual({
      check: 'model',
      status: 'ok',
      message: expect.stringMatching(/responds, and lists 1 model\.$/),
    })
  })
})

describe('yonder doctor and the sign-in', () => {
  const installation = new TestInstallation('sqlite')
  let provider: HostileIdentityProvider
  beforeAll(async () => {
    provider = await openHostileIdentityProvider()
  })
  afterEach(() => {
    provider.faults = {}
  })
  afterAll(() => provider.close())

  const hostedSettings = (issuer: string) => ({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'client',
    OIDC_AUDIENCE: 'https://chat.example/api',
    OIDC_PROVIDER_NAME: 'Contoso',
  })
  const diagnose = (issuer = provider.issuer, settings: Record<string, string> = {}) =>
    installation.diagnose({ ...hostedSettings(issuer), ...settings })

  it('finds nothing when the provider responds', async () => {
    expect(await diagnose()).toMatchObject({ code: 0, complaints: [] })
  })

  const publicUrl = 'https://chat.example'
  const client = { id: 'client', redirectUri: `${publicUrl}/` }
  it.each<[string, Faults, RegExp]>([
    [
      'an unknown client',
      { client: { ...client, id: 'other' } },
      /refuses the client client \(OIDC_CLIENT_ID\)/,
    ],
    [
      'another redirect address',
      { client: { ...client, redirectUri: publicUrl } },
      /the redirect address https:\/\/chat\.example\/ \(status 400\)/,
    ],
    ['a refused scope', { refuse: 'invalid_scope', description: 'No API.' }, /invalid_scope.*OIDC_PARAMS/],
    ['a client with a secret', { status: { '/token': 401 }, tokenError: 'invalid_client' }, /public client/],
    [
      'a token endpoint for servers',
      { noCors: ['/token'] },
      /not allow requests from https:\/\/chat\.example \(CORS\)/,
    ],
    ['no token endpoint', { discovery: { token_endpoint: null } }, /names no token_endpoint/],
    [
      'a token endpoint elsewhere',
      { tokenEndpoint: 'http://127.0.0.1:19998/t' },
      /cannot be reached.*ECONNREFUSED/,
    ],
    ['a clock two minutes ahead', { clockAhead: 120 }, /differ by 1?[12]\d s/],
    [
      'a shared secret',
      { discovery: { id_token_signing_alg_values_supported: ['HS256'] } },
      /with HS256 only/,
    ],
    ['no usable key', { publish: () => [{ kty: 'oct', k: 'AA' }] }, /no key for an asymmetric signature/],
    ['keys that cannot be read', { status: { '/jwks': 404 } }, /keys at .* \(status 404\)/],
    ['no PKCE', { discovery: { code_challenge_methods_supported: ['plain'] } }, /S256/],
    [
      'the issuer of all tenants',
      { discovery: { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' } },
      /that of all tenants/,
    ],
    [
      'no offline_access',
      { discovery: { scopes_supported: ['openid'] } },
      /^warning, sign-in: .*offline_access/,
    ],
  ])('names %s', async (_name, faults, complaint) => {
    provider.faults = faults
    const { complaints } = await diagnose(provider.issuer, { PUBLIC_URL: publicUrl })
    const found = complaints.filter((one) => one.includes(', sign-in: '))
    expect(found.join('\n')).toMatch(complaint)
    expect(found.length).toBeLessThanOrEqual(2)
  })

  it('names what Entra and Google need, and a button that says Google', async () => {
    const entra = 'https://login.microsoftonline.com.invalid/t/v2.0'
    expect((await diagnose('https://accounts.google.com')).complaints).toEqual([
      expect.stringMatching(/^problem, sign-in: OIDC_ISSUER: Google gives browsers no access tokens/),
    ])
    expect((await diagnose(entra, { OIDC_PROVIDER_NAME: '' })).complaints[0]).toMatch(
      /^warning, sign-in: OIDC_PROVIDER_NAME is not set, so the button says 'Sign in with Google'/,
    )
  })

  it('names an issuer that differs from that of the provider', async () => {
    const { code, complaints } = await diagnose(`${provider.issuer}/`)
    expect(complaints).toEqual([
      expect.stringMatching(/^problem, sign-in: OIDC_ISSUER: .* but the issuer in the discovery document is/),
    ])
    expect(code).toBe(1)
  })

  it('names a provider that cannot be reached', async () => {
    const { code, complaints } = await diagnose('http://127.0.0.1:19998')
    expect(complaints).toEqual([expect.stringMatching(/^problem, sign-in: .*ECONNREFUSED/)])
    expect(code).toBe(1)
  })

  it.each(['the built-in provider', 'a hosted provider'])(
    'says that Google cannot be used, with %s',
    async (signIn) => {
      const { code, complaints } = await installation.diagnose({
        ...(signIn === 'a hosted provider' && hostedSettings(provider.issuer)),
        GOOGLE_CLIENT_ID: 'id',
        GOOGLE_CLIENT_SECRET: 'secret',
        GOOGLE_ISSUER: `${provider.issuer}/`,
      })
      expect(complaints).toEqual([
        expect.stringMatching(
          /^problem, sign-in: Google: .* The issuer in the settings is .*, but the issuer in/,
        ),
      ])
      expect(code).toBe(1)
    },
  )
})
