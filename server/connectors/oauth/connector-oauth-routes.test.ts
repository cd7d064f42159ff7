import { ConnectResult, ConnectorList } from '@yonder/contract/connector'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startOAuthMcpServer } from '../../testing/mcp/oauth-mcp-server.ts'
import type { OAuthMcpServer } from '../../testing/mcp/oauth-mcp-server.ts'
import { openTestApp } from '../../testing/test-app.ts'
import type { TestApp, TestClient } from '../../testing/test-app.ts'
import { engines } from '../../testing/database/test-database.ts'
import { callTool } from '../calls/call-tool.ts'
import { requireConnector } from '../connector-store.ts'
import { authorizeServer } from './authorize-server.ts'
import { openClientSecret } from './client-secret.ts'
import { listGrants } from './grant-store.ts'
import { openConnectors } from '../open-connectors.ts'
import type { Connectors } from '../open-connectors.ts'

const host = { host: 'localhost:3000' }

describe.each(engines)('authorization of connectors on %s', (engine) => {
  let test: TestApp
  let server: OAuthMcpServer
  let ada: TestClient
  /** Two nodes of the same installation. */
  let nodes: Connectors[]
  let time = 0

  beforeAll(async () => {
    test = await openTestApp({
      engine,
      deps: { now: () => Date.now() + time },
      environment: { ALLOWED_PRIVATE_HOSTS: '127.0.0.1:*' },
    })
  })

  beforeEach(async () => {
    time = 0
    server = await startOAuthMcpServer()
    ada = await test.signIn('Ada')
    await ada.post('/api/mcp-server', { name: 'Guarded', url: server.url, allow_tools: [] })
    nodes = [0, 1].map(() =>
      openConnectors(test.deps, { onChanged: () => undefined, onError: () => undefined }),
    )
  })

  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await server.close()
  })

  afterAll(() => test.close())

  interface Started {
    /** The address to which the authorization server redirects the browser. */
    readonly back: string
    readonly cookie: string
    readonly setCookie: string
  }

  /** Connects and consents, until the browser is redirected back. */
  async function start(client = ada, body?: unknown): Promise<Started> {
    const response = await client.post('/api/mcp-server/Guarded/connect', body)
    expect(response.statusCode).toBe(200)
    const { authorization_url, connector } = ConnectResult.parse(response.json())
    expect(connector.status).toBe('disconnected')
    const setCookie = String(response.headers['set-cookie'])
    const consent = await fetch(authorization_url ?? '', { redirect: 'manual' })
    const location = new URL(consent.headers.get('location') ?? '')
    expect(location.origin).toBe('http://localhost:3000')
    return { back: location.pathname + location.search, cookie: setCookie.split(';')[0] ?? '', setCookie }
  }

  const returnFromConsent = async (back: string, cookie: string | undefined) => {
    const response = await test.app.inject({
      url: back,
      headers: { ...host, ...(cookie === undefined ? {} : { cookie }) },
    })
    expect(response.statusCode).toBe(302)
    return String(response.headers.location)
  }

  async function connect(): Promise<void> {
    const { back, cookie } = await start()
    expect(await returnFromConsent(back, cookie)).toBe(
      'http://localhost:3000/settings/connectors?authorization=connected&connector=Guarded',
    )
  }

  const readConnector = async (client = ada) => {
    const list = ConnectorList.parse((await client.get('/api/mcp-servers')).json())
    return list.find(({ name }) => name === 'Guarded')
  }

  const grants = () =>
    test.database.db.selectFrom('connector_grants').selectAll().where('user_id', '=', ada.user.id).execute()

  const call = (node = nodes[0]!) =>
    callTool(node.deps, {
      user: ada.user,
      connectorName: 'Guarded',
      toolName: 'secret',
      arguments: {},
      approval: 'once',
      signal: AbortSignal.timeout(10_000),
    })

  it('connects after the user has consented (§17.11, §17.24, §18.14)', async () => {
    await connect()
    expect(await readConnector()).toMatchObject({ status: 'connected', tools: [{ name: 'secret' }] })
    expect(await call()).toMatchObject({ status: 'done', text: 'the secret' })
  })

  it('redirects back to the chat where the consent was started (§18.14)', async () => {
    const { back, cookie } = await start(ada, { return_to: '/chat/abc_-1' })
    expect(await returnFromConsent(back, cookie)).toBe(
      'http://localhost:3000/chat/abc_-1?authorization=connected&connector=Guarded',
    )
  })

  it('stores no secret unencrypted', async () => {
    await connect()
    const stored = JSON.stringify(await grants())
    for (const bearer of server.bearers.filter((token) => token !== '')) expect(stored).not.toContain(bearer)
    expect(JSON.stringify(await readConnector())).not.toContain(server.bearers.at(-1))
  })

  it('sets a cookie that no script can read', async () => {
    const { setCookie } = await start()
    expect(setCookie).toMatch(/^yonder-consent=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
  })

  it('allows two open consents in one browser', async () => {
    const first = await start()
    const response = await test.app.inject({
      method: 'POST',
      url: '/api/mcp-server/Guarded/connect',
      headers: { ...ada.headers, cookie: first.cookie },
    })
    expect(String(response.headers['set-cookie'])).toContain(first.cookie)
    expect(await returnFromConsent(first.back, first.cookie)).toContain('authorization=connected')
  })

  it.each<[string, (started: Started) => [string, string | undefined]]>([
    ['another browser', ({ back }) => [back, undefined]],
    ["another browser's cookie", ({ back }) => [back, `yonder-consent=${'x'.repeat(43)}`]],
    ['another state', ({ back, cookie }) => [back.replace(/state=[^&]+/, 'state=made-up'), cookie]],
  ])('refuses a redirect back with %s, and requests no token', async (_, spoil) => {
    const started = await start()
    const [back, cookie] = spoil(started)
    expect(await returnFromConsent(back, cookie)).toBe(
      'http://localhost:3000/settings/connectors?authorization=expired',
    )
    expect(server.tokenRequests).toEqual([])
    expect((await grants()).filter(({ tokens }) => tokens !== null)).toEqual([])
  })

  it("does not link an attacker's consent to the user who opens it, nor the other way round (§18.15)", async () => {
    const eve = await test.signIn('Eve')
    await eve.post('/api/mcp-server', { name: 'Guarded', url: server.url, allow_tools: [] })
    const hers = await start(eve)
    const mine = await start(ada)
    expect(await returnFromConsent(hers.back, mine.cookie)).toContain('authorization=expired')
    expect(await returnFromConsent(mine.back, hers.cookie)).toContain('authorization=expired')
    expect(server.tokenRequests).toEqual([])
  })

  it('accepts a redirect back once (§18.15)', async () => {
    const { back, cookie } = await start()
    expect(await returnFromConsent(back, cookie)).toContain('authorization=connected')
    expect(await returnFromConsent(back, cookie)).toContain('authorization=expired')
    expect(server.tokenRequests).toEqual(['authorization_code'])
  })

  it('accepts only one of two concurrent redirects back (§18.15)', async () => {
    const { back, cookie } = await start()
    const locations = await Promise.all([returnFromConsent(back, cookie), returnFromConsent(back, cookie)])
    expect(locations.filter((location) => location.includes('connected&'))).toHaveLength(1)
  })

  it('refuses a redirect back after ten minutes (§18.15)', async () => {
    const { back, cookie } = await start()
    time = 10 * 60_000 + 1
    expect(await returnFromConsent(back, cookie)).toContain('authorization=expired')
    expect(server.tokenRequests).toEqual([])
  })

  it('refuses a redirect back to a connector whose address has changed', async () => {
    const { back, cookie } = await start()
    await ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: `${server.url}?other` })
    expect(await returnFromConsent(back, cookie)).toContain('authorization=expired')
    expect(server.tokenRequests).toEqual([])
  })

  it.each(['\r\nx-injected: y', ' ', 'ä'])(
    'does not connect with a token that ends with %j (§18.37)',
    async (accessTokenEnd) => {
      server.behaviour.accessTokenEnd = accessTokenEnd
      const { back, cookie } = await start()
      expect(await returnFromConsent(back, cookie)).toContain('authorization=failed')
      expect((await grants()).filter(({ tokens }) => tokens !== null)).toEqual([])
      expect(await readConnector()).toMatchObject({ status: 'disconnected' })
    },
  )

  it('reports that consent was denied, and shows no text of the server', async () => {
    const { back, cookie } = await start()
    const state = new URLSearchParams(back.split('?')[1]).get('state') ?? ''
    const location = await returnFromConsent(
      `/api/connector-oauth/callback?error=%3Cscript%3E&error_description=evil&state=${state}`,
      cookie,
    )
    expect(location).toBe('http://localhost:3000/settings/connectors?authorization=denied&connector=Guarded')
  })

  it('refuses a code from another server than the one that the user was redirected to', async () => {
    server.behaviour.issuer = 'https://evil.example'
    const { back, cookie } = await start()
    expect(await returnFromConsent(back, cookie)).toContain('authorization=failed')
    expect(server.tokenRequests).toEqual([])
  })

  it.each([
    ['https://evil.example', 'failed', []],
    ['itself', 'connected', ['authorization_code']],
  ])(
    'compares the issuer with the server that the user was sent to, even if it publishes no metadata: %s',
    async (issuer, outcome, requests) => {
      server.behaviour.publishesMetadata = false
      server.behaviour.issuer = issuer === 'itself' ? server.origin : issuer
      const { back, cookie } = await start()
      expect(await returnFromConsent(back, cookie)).toContain(`authorization=${outcome}`)
      expect(server.tokenRequests).toEqual(requests)
    },
  )

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'http://login.example/authorize',
  ])('does not redirect the browser to %s', async (address) => {
    server.behaviour.authorizationEndpoint = address
    const response = await ada.post('/api/mcp-server/Guarded/connect')
    expect(response.statusCode).toBeGreaterThanOrEqual(400)
    expect(response.body).not.toContain('javascript:')
    expect(response.headers['set-cookie']).toBeUndefined()
    expect(
      await test.database.db
        .selectFrom('connector_consents')
        .selectAll()
        .where('user_id', '=', ada.user.id)
        .execute(),
    ).toEqual([])
  })

  it.each(['', '?state=', '?code=a', `?state=${'x'.repeat(500)}`, '?state=a&state=b'])(
    'refuses a redirect back with the query %j',
    async (query) => {
      const response = await test.app.inject({ url: `/api/connector-oauth/callback${query}`, headers: host })
      expect(response.statusCode).toBe(400)
    },
  )

  it('refreshes tokens before they expire, once for many calls on two nodes (§18.16)', async () => {
    server.behaviour.accessTokenLifeS = 20
    await connect()
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => call(nodes[index % 2])))
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'done'))
    const refreshes = server.tokenRequests.filter((grant) => grant === 'refresh_token')
    // Calls after the first refresh find a token that expires soon again.
    expect(refreshes.length).toBeGreaterThan(0)
    expect(server.behaviour.revoked).toBe(false)
  })

  it('sends no tokens of a later consent with a request that began before it (§13.29)', async () => {
    await connect()
    const { deps } = nodes[0]!
    const before = await requireConnector(test.database.db, ada.user, 'Guarded')
    server.behaviour.revoked = true
    const { back, cookie } = await start()
    server.behaviour.revoked = false
    expect(await returnFromConsent(back, cookie)).toContain('authorization=connected')
    const earlier = await authorizeServer(deps, before, new URL(server.url), undefined)
    await expect(earlier.token()).rejects.toThrow('was connected again before the request was sent')
    const now = await requireConnector(test.database.db, ada.user, 'Guarded')
    expect(await (await authorizeServer(deps, now, new URL(server.url), undefined)).token()).toBe(
      server.bearers.at(-1),
    )
  })

  it('requires consent again when its tokens are revoked, without repeated requests (§18.16)', async () => {
    server.behaviour.accessTokenLifeS = 1
    await connect()
    server.behaviour.revoked = true
    const before = server.tokenRequests.length
    expect(await call()).toMatchObject({ status: 'authorization_needed' })
    expect(server.tokenRequests.length - before).toBeLessThanOrEqual(2)
    expect(await readConnector()).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('consent') as string,
    })
    server.behaviour.revoked = false
    server.behaviour.accessTokenLifeS = 3_600
    await connect()
    expect((await call()).status).toBe('done')
  })

  it('deletes its tokens when the address changes, and with the connector', async () => {
    await connect()
    expect(await grants()).not.toEqual([])
    await ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: 'https://other.example' })
    expect(await grants()).toEqual([])
  })

  it('revokes tokens when their connector is deleted or its address changes (§18.17)', async () => {
    for (const removeTokens of [
      () => ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: 'https://other.example' }),
      () => ada.delete('/api/mcp-server/Guarded'),
    ]) {
      await ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: server.url })
      await connect()
      const access = server.bearers.at(-1)
      const before = server.revocations.length
      expect((await removeTokens()).statusCode).toBeLessThan(300)
      await expect.poll(() => server.revocations.length).toBe(before + 2)
      expect(server.revocations.slice(before)).toEqual([
        { token: expect.any(String), token_type_hint: 'refresh_token', client_id: 'yonder-here' },
        { token: access, token_type_hint: 'access_token', client_id: 'yonder-here' },
      ])
    }
  })

  it('revokes and removes the tokens of a user who is disabled (§15.35)', async () => {
    await connect()
    const access = server.bearers.at(-1)
    await nodes[0]?.revokeTokens(ada.user.id)
    await expect.poll(() => server.revocations.length).toBe(2)
    expect(server.revocations[1]).toMatchObject({ token: access })
    expect((await grants()).map(({ tokens }) => tokens)).toEqual([null])
    expect(await readConnector()).toMatchObject({ status: 'disconnected' })
  })

  it('does not wait for a server that revokes tokens slowly (§18.17)', async () => {
    let respond: (value?: unknown) => void = () => undefined
    server.behaviour.beforeRevocation = () => new Promise((resolve) => (respond = resolve))
    await connect()
    expect((await ada.delete('/api/mcp-server/Guarded')).statusCode).toBe(204)
    await expect.poll(() => server.revocations.length).toBe(1)
    expect(await readConnector()).toBeUndefined()
    respond()
    await expect.poll(() => server.revocations.length).toBe(2)
    respond()
  })

  it('deletes a connector whose server does not revoke tokens, and keeps the tokens of the others (§18.17)', async () => {
    server.behaviour.supportsRevocation = false
    await connect()
    expect((await ada.delete('/api/mcp-server/Guarded')).statusCode).toBe(204)
    server.behaviour.supportsRevocation = true
    await ada.post('/api/mcp-server', { name: 'Guarded', url: server.url, allow_tools: [] })
    await connect()
    await ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: server.url, allow_tools: ['secret'] })
    expect((await call()).status).toBe('done')
    expect(server.revocations).toEqual([])
  })

  it('returns no tokens for an earlier address of the connector', async () => {
    await connect()
    const row = await requireConnector(test.database.db, ada.user, 'Guarded')
    expect(await listGrants(test.deps, row)).toHaveLength(1)
    expect(await listGrants(test.deps, { ...row, url: 'https://former.example' })).toEqual([])
  })

  describe('the client secret that the user entered (§18.38)', () => {
    let other: OAuthMcpServer
    beforeEach(async () => {
      other = await startOAuthMcpServer()
      await enter({ client_id: 'own-client', client_secret: 'own-secret' })
    })
    afterEach(() => other.close())

    const enter = (input: object) =>
      ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: server.url, ...input })

    it('goes to the authorization server of its first use, and is asked for again at another one', async () => {
      await connect()
      expect(server.clientSecrets).toEqual(['own-secret'])
      server.behaviour.authorizationServer = other.origin
      await test.database.db.deleteFrom('connector_grants').where('user_id', '=', ada.user.id).execute()

      const confirmed = { confirmed_origins: [other.origin] }
      const refused = await ada.post('/api/mcp-server/Guarded/connect', confirmed)
      const message = `The client secret of "Guarded" was not sent, because it was entered for the authorization server ${server.origin}, and the connector now names ${other.origin}. If you trust that server, enter the client secret again.`
      expect(refused.json()).toMatchObject({ error: { message } })
      expect(await readConnector()).toMatchObject({ status: 'failed', error_message: message })
      expect(other.tokenRequests).toEqual([])

      await enter({ client_secret: 'other-secret' })
      // The connector does not accept the tokens of the other server, so it does not connect.
      const { back, cookie } = await start(ada, confirmed)
      await returnFromConsent(back, cookie)
      expect(new Set(other.clientSecrets)).toEqual(new Set(['other-secret']))
      expect(server.clientSecrets).toEqual(['own-secret'])
    })

    it('belongs to one server only when two name themselves at the same time', async () => {
      const row = await requireConnector(test.database.db, ada.user, 'Guarded')
      const results = await Promise.allSettled(
        [server.origin, other.origin].map((issuer) =>
          openClientSecret(test.deps, row, row.client_secret ?? '', issuer),
        ),
      )
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    })
  })

  describe('an authorization server on another origin (§18.39)', () => {
    let other: OAuthMcpServer
    beforeEach(async () => {
      other = await startOAuthMcpServer()
      server.behaviour.authorizationServer = other.origin
    })
    afterEach(() => other.close())

    const tryConnect = (body?: unknown) => ada.post('/api/mcp-server/Guarded/connect', body)

    it('is shown to the user before anything is registered or opened there, once', async () => {
      const asked = await tryConnect()
      expect(asked.json()).toMatchObject({
        authorization_url: null,
        origins_to_confirm: [other.origin],
        connector: { status: 'disconnected' },
      })
      expect(other.registrations.count).toBe(0)
      const others = { confirmed_origins: ['https://unrelated.example'] }
      expect((await tryConnect(others)).json()).toMatchObject({ origins_to_confirm: [other.origin] })
      expect(other.registrations.count).toBe(0)

      // The connector does not accept the tokens of the other server, so it does not connect.
      const { back, cookie } = await start(ada, { confirmed_origins: [other.origin] })
      await returnFromConsent(back, cookie)
      expect(other.registrations.count).toBe(1)
      expect(other.tokenRequests[0]).toBe('authorization_code')
      await test.database.db.updateTable('connector_grants').set({ tokens: null }).execute()
      expect((await tryConnect()).json()).toMatchObject({
        authorization_url: expect.stringContaining(other.origin),
        origins_to_confirm: [],
      })
      expect(other.registrations.count).toBe(1)
    })

    it('is confirmed for one connector only', async () => {
      expect((await tryConnect({ confirmed_origins: [other.origin] })).json()).toMatchObject({
        origins_to_confirm: [],
        authorization_url: expect.stringContaining(other.origin),
      })
      const url = `${server.url}?second`
      await ada.post('/api/mcp-server', { name: 'Second', url, allow_tools: [] })
      expect((await ada.post('/api/mcp-server/Second/connect')).json()).toMatchObject({
        authorization_url: null,
        origins_to_confirm: [other.origin],
      })
      await ada.delete('/api/mcp-server/Second')
    })

    it('is shown when only the page of its metadata is on another origin', async () => {
      server.behaviour.authorizationServer = null
      server.behaviour.authorizationEndpoint = `${other.origin}/authorize`
      expect((await tryConnect()).json()).toMatchObject({
        authorization_url: null,
        origins_to_confirm: [other.origin],
      })
      expect(server.registrations.count).toBe(0)
    })

    it('is refused when an address contains a user name or a password', async () => {
      server.behaviour.authorizationServer = null
      server.behaviour.authorizationEndpoint =
        server.origin.replace('//', '//known.example:x@') + '/authorize'
      const refused = await tryConnect({ confirmed_origins: [server.origin, other.origin] })
      expect(refused.json()).toMatchObject({ error: { code: 'address_refused' } })
      expect(server.registrations.count).toBe(0)
    })
  })

  it.each(['refreshed', 'issued'])('stores no tokens that are %s while the address changes', async (when) => {
    server.behaviour.accessTokenLifeS = 20
    const back = when === 'refreshed' ? (await connect(), undefined) : await start()
    server.behaviour.beforeTokens = () =>
      ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: 'https://other.example' })
    if (back === undefined) expect((await call()).status).toBe('failed')
    else expect(await returnFromConsent(back.back, back.cookie)).toContain('authorization=failed')
    expect(server.tokenRequests.at(-1)).toBe(when === 'refreshed' ? 'refresh_token' : 'authorization_code')
    expect(await grants()).toEqual([])
  })
})
