import { describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { ConsentScene, type StartedConsent } from '../../testing/mcp/consent-scene.ts'
import { openConnectors } from '../open-connectors.ts'
import { readBrowserKey } from './consent-request.ts'
import { finishConsent } from './finish-consent.ts'

const host = { host: 'localhost:3000' }

describe.each(engines)('authorization of connectors on %s', (engine) => {
  const scene = new ConsentScene(engine)

  it('connects after the user has consented', async () => {
    await scene.connect()
    expect(await scene.readConnector()).toMatchObject({ status: 'connected', tools: [{ name: 'secret' }] })
    expect(await scene.call()).toMatchObject({ status: 'done', text: 'the secret' })
  })

  it('redirects back to the chat where the consent was started', async () => {
    const { back, cookie } = await scene.start(scene.ada, { return_to: '/chat/abc_-1' })
    expect(await scene.returnFromConsent(back, cookie)).toBe(
      'http://localhost:3000/chat/abc_-1?authorization=connected&connector=Guarded',
    )
  })

  it('stores no secret unencrypted', async () => {
    await scene.connect()
    const stored = JSON.stringify(await scene.listGrants())
    for (const bearer of scene.server.bearers.filter((token) => token !== ''))
      expect(stored).not.toContain(bearer)
    expect(JSON.stringify(await scene.readConnector())).not.toContain(scene.server.bearers.at(-1))
  })

  it('sets a cookie that no script can read', async () => {
    const { setCookie } = await scene.start()
    expect(setCookie).toMatch(/^yonder-consent=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
  })

  it('allows two open consents in one browser', async () => {
    const first = await scene.start()
    const response = await scene.test.app.inject({
      method: 'POST',
      url: '/api/mcp-server/Guarded/connect',
      headers: { ...scene.ada.headers, cookie: first.cookie },
    })
    expect(String(response.headers['set-cookie'])).toContain(first.cookie)
    expect(await scene.returnFromConsent(first.back, first.cookie)).toContain('authorization=connected')
  })

  it.each<[string, (started: StartedConsent) => [string, string | undefined]]>([
    ['another browser', ({ back }) => [back, undefined]],
    ["another browser's cookie", ({ back }) => [back, `yonder-consent=${'x'.repeat(43)}`]],
    ['another state', ({ back, cookie }) => [back.replace(/state=[^&]+/, 'state=made-up'), cookie]],
  ])('refuses a redirect back with %s, and requests no token', async (_, spoil) => {
    const started = await scene.start()
    const [back, cookie] = spoil(started)
    expect(await scene.returnFromConsent(back, cookie)).toBe(
      'http://localhost:3000/settings/connectors?authorization=expired',
    )
    expect(scene.server.tokenRequests).toEqual([])
    expect((await scene.listGrants()).filter(({ tokens }) => tokens !== null)).toEqual([])
  })

  it("does not link an attacker's consent to the user who opens it, nor the other way round", async () => {
    const eve = await scene.test.signIn('Eve')
    await eve.post('/api/mcp-server', { name: 'Guarded', url: scene.server.url, allow_tools: [] })
    const hers = await scene.start(eve)
    const mine = await scene.start(scene.ada)
    expect(await scene.returnFromConsent(hers.back, mine.cookie)).toContain('authorization=expired')
    expect(await scene.returnFromConsent(mine.back, hers.cookie)).toContain('authorization=expired')
    expect(scene.server.tokenRequests).toEqual([])
  })

  it('accepts a redirect back once', async () => {
    const { back, cookie } = await scene.start()
    expect(await scene.returnFromConsent(back, cookie)).toContain('authorization=connected')
    expect(await scene.returnFromConsent(back, cookie)).toContain('authorization=expired')
    expect(scene.server.tokenRequests).toEqual(['authorization_code'])
  })

  it('accepts only one of two concurrent redirects back', async () => {
    const { back, cookie } = await scene.start()
    const locations = await Promise.all([
      scene.returnFromConsent(back, cookie),
      scene.returnFromConsent(back, cookie),
    ])
    expect(locations.filter((location) => location.includes('connected&'))).toHaveLength(1)
  })

  it('refuses a redirect back after ten minutes', async () => {
    const { back, cookie } = await scene.start()
    scene.advance(10 * 60_000 + 1)
    expect(await scene.returnFromConsent(back, cookie)).toContain('authorization=expired')
    expect(scene.server.tokenRequests).toEqual([])
  })

  it('refuses a redirect back to a connector whose address has changed', async () => {
    const { back, cookie } = await scene.start()
    await scene.ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: `${scene.server.url}?other` })
    expect(await scene.returnFromConsent(back, cookie)).toContain('authorization=expired')
    expect(scene.server.tokenRequests).toEqual([])
  })

  it.each(['\r\nx-injected: y', ' ', 'ä'])(
    'does not connect with a token that ends with %j',
    async (accessTokenEnd) => {
      scene.server.behaviour.accessTokenEnd = accessTokenEnd
      const { back, cookie } = await scene.start()
      expect(await scene.returnFromConsent(back, cookie)).toContain('authorization=failed')
      expect((await scene.listGrants()).filter(({ tokens }) => tokens !== null)).toEqual([])
      expect(await scene.readConnector()).toMatchObject({
        status: 'failed',
        error_message: expect.stringContaining('an access token with a space'),
      })
    },
  )

  it.each([
    ['access_denied', 'denied'],
    ['server_error', 'failed'],
    ['<script>', 'failed'],
  ])('reports the error %s as %s, and shows no text of the server', async (error, outcome) => {
    const { back, cookie } = await scene.start()
    const state = new URLSearchParams(back.split('?')[1]).get('state') ?? ''
    const location = await scene.returnFromConsent(
      `/api/connector-oauth/callback?error=${encodeURIComponent(error)}&error_description=evil&state=${state}`,
      cookie,
    )
    expect(location).toBe(
      `http://localhost:3000/settings/connectors?authorization=${outcome}&connector=Guarded`,
    )
  })

  it.each([
    ['server_error', 'server_error'],
    ['sk-canary-0123456789', 'not a valid error code'],
    [undefined, 'none'],
  ])('logs the code of the error that the server returned, and no other text: %s', async (error, code) => {
    const { back, cookie } = await scene.start()
    const state = new URLSearchParams(back.split('?')[1]).get('state') ?? ''
    const errors: unknown[] = []
    const node = openConnectors(scene.test.deps, {
      onChanged: () => undefined,
      onError: (reported) => errors.push(reported),
    })
    const browserKey = readBrowserKey('http://localhost:3000', cookie)
    const returned = { state, error, code: undefined, issuer: undefined, browserKey }
    expect(await finishConsent(node.deps, returned)).toMatchObject({ outcome: 'failed' })
    expect(errors.map(String)).toEqual([
      `Error: The authorization server ${scene.server.origin} returned no authorization code. Its error: ${code}.`,
    ])
    await node.close()
  })

  it('refuses a code from another server than the one that the user was redirected to', async () => {
    scene.server.behaviour.issuer = 'https://evil.example'
    const { back, cookie } = await scene.start()
    expect(await scene.returnFromConsent(back, cookie)).toContain('authorization=failed')
    expect(scene.server.tokenRequests).toEqual([])
  })

  it.each([
    ['https://evil.example', 'failed', []],
    ['itself', 'connected', ['authorization_code']],
  ])(
    'compares the issuer with the server that the user was sent to, even if it publishes no metadata: %s',
    async (issuer, outcome, requests) => {
      scene.server.behaviour.publishesMetadata = false
      scene.server.behaviour.issuer = issuer === 'itself' ? scene.server.origin : issuer
      const { back, cookie } = await scene.start()
      expect(await scene.returnFromConsent(back, cookie)).toContain(`authorization=${outcome}`)
      expect(scene.server.tokenRequests).toEqual(requests)
    },
  )

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'http://login.example/authorize',
  ])('does not redirect the browser to %s', async (address) => {
    scene.server.behaviour.authorizationEndpoint = address
    const response = await scene.ada.post('/api/mcp-server/Guarded/connect')
    expect(response.statusCode).toBeGreaterThanOrEqual(400)
    expect(response.body).not.toContain('javascript:')
    expect(response.headers['set-cookie']).toBeUndefined()
    expect(
      await scene.test.database.db
        .selectFrom('connector_consents')
        .selectAll()
        .where('user_id', '=', scene.ada.user.id)
        .execute(),
    ).toEqual([])
  })

  it.each(['', '?state=', '?code=a', `?state=${'x'.repeat(500)}`, '?state=a&state=b'])(
    'tells the user that a redirect back with the query %j is not valid',
    async (query) => {
      const response = await scene.test.app.inject({
        url: `/api/connector-oauth/callback${query}`,
        headers: host,
      })
      expect(response.headers.location).toBe(
        'http://localhost:3000/settings/connectors?authorization=expired',
      )
    },
  )
})
