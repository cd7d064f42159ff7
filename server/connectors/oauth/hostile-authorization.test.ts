import { ConnectResult } from '@yonder/contract/connector'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { startOAuthMcpServer, type OAuthMcpServer } from '../../testing/mcp/oauth-mcp-server.ts'
import { openTestApp, type TestApp, type TestClient } from '../../testing/test-app.ts'
import { connectConnector } from '../connect-connector.ts'
import { requireConnector } from '../connector-store.ts'
import { openConnectors } from '../open-connectors.ts'
import { createConsentRequest } from './consent-request.ts'

describe.each(engines)('a hostile authorization server on %s', (engine) => {
  let test: TestApp
  let server: OAuthMcpServer
  let ada: TestClient

  beforeAll(async () => {
    test = await openTestApp({ engine, environment: { ALLOWED_PRIVATE_HOSTS: '127.0.0.1:*' } })
  })
  beforeEach(async () => {
    server = await startOAuthMcpServer()
    ada = await test.signIn('Ada')
    await addConnector('Guarded', server.url)
  })
  afterEach(() => server.close())
  afterAll(() => test.close())

  const addConnector = (name: string, url: string) =>
    ada.post('/api/mcp-server', { name, url, allow_tools: [] })
  const tryConnect = (name = 'Guarded', body: object = {}) =>
    ada.post(`/api/mcp-server/${name}/connect`, body)

  /** Connects, consents and returns. Resolves with the address to which the browser is redirected. */
  async function connect(name = 'Guarded', body: object = {}): Promise<string> {
    const response = await tryConnect(name, body)
    expect(response.statusCode).toBe(200)
    const cookie = String(response.headers['set-cookie']).split(';')[0] ?? ''
    const consent = await fetch(ConnectResult.parse(response.json()).authorization_url ?? '', {
      redirect: 'manual',
    })
    const { pathname, search } = new URL(consent.headers.get('location') ?? '')
    const headers = { host: 'localhost:3000', cookie }
    const returned = await test.app.inject({ url: pathname + search, headers })
    return String(returned.headers.location)
  }

  const grants = () =>
    test.database.db.selectFrom('connector_grants').selectAll().where('user_id', '=', ada.user.id).execute()
  const consents = () =>
    test.database.db.selectFrom('connector_consents').selectAll().where('user_id', '=', ada.user.id).execute()

  it('can have nothing stored without a consent, also when its connector names another one each time', async () => {
    await connect()
    const before = await grants()
    server.behaviour.revoked = true
    server.behaviour.publishesMetadata = false
    for (let at = 0; at < 8; at++) {
      server.behaviour.authorizationServer = `${server.origin}/${at}`
      expect((await tryConnect()).statusCode).toBe(200)
    }
    const stored = await grants()
    expect(stored).toMatchObject([{ issuer: server.origin, details: before[0]?.details }])
  })

  it('is sent the tokens that those of another server have replaced, to revoke them', async () => {
    await connect()
    const other = await startOAuthMcpServer()
    server.behaviour.authorizationServer = other.origin
    server.behaviour.acceptsTokensOf = other
    server.forgetTokens()
    expect(await connect('Guarded', { confirmed_origins: [other.origin] })).toContain(
      'authorization=connected',
    )
    await expect.poll(() => server.revocations.length).toBe(2)
    expect(server.revocations.map(({ token_type_hint }) => token_type_hint)).toEqual([
      'refresh_token',
      'access_token',
    ])
    expect(await grants()).toMatchObject([{ issuer: other.origin }])
    await other.close()
  })

  it('can have at most the newest twenty consents of a user stored', async () => {
    for (let at = 0; at < 22; at++) expect((await tryConnect()).statusCode).toBe(200)
    expect(await consents()).toHaveLength(20)
    expect(await connect()).toContain('authorization=connected')
  })

  it('is refused when its metadata is too long to be stored', async () => {
    server.behaviour.scopes = Array.from({ length: 7_000 }, (_, at) => `scope-${at}`)
    const refused = await tryConnect()
    expect(refused.json()).toMatchObject({ error: { code: 'output_limit' } })
    expect(server.registrations.count).toBe(0)
    expect([await grants(), await consents()]).toEqual([[], []])
  })

  it.each([
    ['invisible characters', '/\u202Emoc.doog'],
    ['too many characters', `/${'a'.repeat(3_000)}`],
  ])('is refused when its address has %s', async (_, path) => {
    server.behaviour.authorizationServer = server.origin + path
    server.behaviour.publishesMetadata = false
    const refused = await tryConnect()
    expect(refused.json()).toMatchObject({ error: { code: 'address_refused' } })
    expect(refused.body).not.toContain(path)
    expect(server.registrations.count).toBe(0)
    expect([await grants(), await consents()]).toEqual([[], []])
  })

  it.each(['\r\nx-injected: y', '\0', 'ä'])(
    'is refused when the secret of its client ends with %j',
    async (end) => {
      server.behaviour.registeredSecret = `secret${end}`
      const refused = await tryConnect()
      expect(refused.json()).toMatchObject({
        error: { code: 'upstream_invalid', message: expect.stringContaining('id or secret') },
      })
      expect([await grants(), await consents()]).toEqual([[], []])
    },
  )

  it.each([
    [400, (text: string) => JSON.stringify({ error: 'invalid_grant', error_description: text })],
    [200, (text: string) => JSON.stringify({ error: 'invalid_grant', error_description: text })],
    [400, (text: string) => JSON.stringify({ error: text })],
    [500, (text: string) => text],
  ])('cannot write what it was sent into the log (%i)', async (status, toBody) => {
    const logged: string[] = []
    const log = vi.spyOn(console, 'warn').mockImplementation((...texts) => void logged.push(texts.join(' ')))
    server.behaviour.registeredSecret = 'canary-of-the-client'
    server.behaviour.respondToTokenRequest = (form) => ({ status, body: toBody(form.toString()) })
    try {
      expect(await connect()).toContain('authorization=failed')
      server.behaviour.respondToTokenRequest = null
      expect(await connect()).toContain('authorization=connected')
      server.behaviour.respondToTokenRequest = (form) => ({ status, body: toBody(form.toString()) })
      server.behaviour.revoked = true
      await tryConnect()
    } finally {
      log.mockRestore()
    }
    expect(logged.join('\n')).toContain('[mcp-sdk]')
    expect(logged.join('\n')).not.toMatch(/canary|refresh_token=|code_verifier/)
  })

  it('cannot prevent the tokens of other servers from being revoked', async () => {
    const insecure = 'http://insecure.example/revoke'
    server.behaviour.revocationEndpoint = insecure
    expect(await connect('Guarded', { confirmed_origins: ['http://insecure.example'] })).toContain(
      'connected',
    )
    const other = await startOAuthMcpServer()
    await addConnector('Other', other.url)
    expect(await connect('Other')).toContain('connected')
    const errors: unknown[] = []
    const node = openConnectors(test.deps, {
      onChanged: () => undefined,
      onError: (error) => errors.push(error),
    })
    await node.revokeTokens(ada.user.id)
    await expect.poll(() => other.revocations.length).toBe(2)
    expect(await grants()).toEqual([])
    expect(errors).toHaveLength(1)
    await node.close()
    await other.close()
  })

  // Without the limit, each request of the step would be given fifteen seconds.
  it('is given up when a step of the authorization takes too long in all', async () => {
    server.behaviour.beforeMetadata = () => new Promise(() => undefined)
    const node = openConnectors(test.deps, {
      limits: { maxAuthorizationMs: 300 },
      onChanged: () => undefined,
      onError: () => undefined,
    })
    const row = await requireConnector(test.database.db, ada.user, 'Guarded')
    await expect(
      connectConnector(node.deps, row, createConsentRequest('/settings/connectors')),
    ).rejects.toMatchObject({ code: 'upstream_timeout' })
    expect([await grants(), await consents()]).toEqual([[], []])
    await node.close()
  })

  it('has a consent that cannot be decrypted reported as expired', async () => {
    await tryConnect()
    const response = await tryConnect()
    await test.database.db.updateTable('connector_consents').set({ payload: 'sealed otherwise' }).execute()
    const url = new URL(ConnectResult.parse(response.json()).authorization_url ?? '')
    const state = url.searchParams.get('state') ?? ''
    const cookie = String(response.headers['set-cookie']).split(';')[0] ?? ''
    const returned = await test.app.inject({
      url: `/api/connector-oauth/callback?code=x&state=${state}`,
      headers: { host: 'localhost:3000', cookie },
    })
    expect(returned.headers.location).toContain('authorization=expired')
    expect(server.tokenRequests).toEqual([])
  })
})
