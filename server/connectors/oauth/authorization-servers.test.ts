import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { ConsentScene } from '../../testing/mcp/consent-scene.ts'
import { startOAuthMcpServer, type OAuthMcpServer } from '../../testing/mcp/oauth-mcp-server.ts'
import { requireConnector } from '../connector-store.ts'
import { openClientSecret } from './client-secret.ts'

describe.each(engines)('authorization servers of connectors on %s', (engine) => {
  const scene = new ConsentScene(engine)

  describe('the client secret that the user entered', () => {
    let other: OAuthMcpServer
    beforeEach(async () => {
      other = await startOAuthMcpServer()
      await enter({ client_id: 'own-client', client_secret: 'own-secret' })
    })
    afterEach(() => other.close())

    const enter = (input: object) =>
      scene.ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: scene.server.url, ...input })

    it('goes to the authorization server of its first use, and is asked for again at another one', async () => {
      await scene.connect()
      expect(scene.server.clientSecrets).toEqual(['own-secret'])
      scene.server.behaviour.authorizationServer = other.origin
      await scene.test.database.db
        .deleteFrom('connector_grants')
        .where('user_id', '=', scene.ada.user.id)
        .execute()

      const confirmed = { confirmed_origins: [other.origin] }
      const refused = await scene.ada.post('/api/mcp-server/Guarded/connect', confirmed)
      const message = `The client secret of "Guarded" was not sent, because it was first used with the authorization server ${scene.server.origin}, and the connector now names ${other.origin}. If you trust that server, enter the client secret again.`
      expect(refused.json()).toMatchObject({ error: { message } })
      expect(await scene.readConnector()).toMatchObject({ status: 'failed', error_message: message })
      expect(other.tokenRequests).toEqual([])

      await enter({ client_secret: 'other-secret' })
      // The connector does not accept the tokens of the other server, so it does not connect.
      const { back, cookie } = await scene.start(scene.ada, confirmed)
      await scene.returnFromConsent(back, cookie)
      expect(new Set(other.clientSecrets)).toEqual(new Set(['other-secret']))
      expect(scene.server.clientSecrets).toEqual(['own-secret'])
    })

    it('belongs to one server only when two name themselves at the same time', async () => {
      const row = await requireConnector(scene.test.database.db, scene.ada.user, 'Guarded')
      const results = await Promise.allSettled(
        [scene.server.origin, other.origin].map((issuer) =>
          openClientSecret(scene.test.deps, row, row.client_secret ?? '', issuer),
        ),
      )
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    })
  })

  describe('an authorization server on another origin', () => {
    let other: OAuthMcpServer
    beforeEach(async () => {
      other = await startOAuthMcpServer()
      scene.server.behaviour.authorizationServer = other.origin
    })
    afterEach(() => other.close())

    const tryConnect = (body?: unknown) => scene.ada.post('/api/mcp-server/Guarded/connect', body)

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
      const { back, cookie } = await scene.start(scene.ada, { confirmed_origins: [other.origin] })
      await scene.returnFromConsent(back, cookie)
      expect(other.registrations.count).toBe(1)
      expect(other.tokenRequests[0]).toBe('authorization_code')
      await scene.test.database.db.updateTable('connector_grants').set({ tokens: null }).execute()
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
      const url = `${scene.server.url}?second`
      await scene.ada.post('/api/mcp-server', { name: 'Second', url, allow_tools: [] })
      expect((await scene.ada.post('/api/mcp-server/Second/connect')).json()).toMatchObject({
        authorization_url: null,
        origins_to_confirm: [other.origin],
      })
      await scene.ada.delete('/api/mcp-server/Second')
    })

    it.each([3_600, 1])(
      'is shown and confirmed when the connector has moved there since it was connected (tokens of %i s)',
      async (accessTokenLifeS) => {
        const { behaviour } = scene.server
        Object.assign(behaviour, { authorizationServer: null, accessTokenLifeS })
        await scene.connect()
        Object.assign(behaviour, { authorizationServer: other.origin, revoked: true })
        for (let attempt = 0; attempt < 2; attempt++) {
          expect((await tryConnect()).json()).toMatchObject({
            authorization_url: null,
            origins_to_confirm: [other.origin],
          })
        }
        expect(other.registrations.count).toBe(0)
        Object.assign(behaviour, { acceptsTokensOf: other, revoked: false })
        scene.server.forgetTokens()
        const { back, cookie } = await scene.start(scene.ada, { confirmed_origins: [other.origin] })
        expect(await scene.returnFromConsent(back, cookie)).toContain('authorization=connected')
        expect(await scene.readConnector()).toMatchObject({ status: 'connected' })
      },
    )

    it('is shown when the server requires a larger scope and has moved there', async () => {
      scene.server.behaviour.authorizationServer = null
      await scene.connect()
      Object.assign(scene.server.behaviour, { authorizationServer: other.origin, missingScope: 'write' })
      expect((await tryConnect()).json()).toMatchObject({
        authorization_url: null,
        origins_to_confirm: [other.origin],
        connector: { status: 'disconnected' },
      })
    })

    it('is stored as the reason when a larger scope cannot be requested there', async () => {
      scene.server.behaviour.authorizationServer = null
      await scene.connect()
      const authorizationEndpoint = 'http://login.example/authorize'
      Object.assign(scene.server.behaviour, { authorizationEndpoint, missingScope: 'write' })
      const { message } = (await tryConnect()).json<{ error: { message: string } }>().error
      expect(message).toContain('has no HTTPS address')
      expect(await scene.readConnector()).toMatchObject({ status: 'failed', error_message: message })
    })

    it('is shown when only the page of its metadata is on another origin', async () => {
      scene.server.behaviour.authorizationServer = null
      scene.server.behaviour.authorizationEndpoint = `${other.origin}/authorize`
      expect((await tryConnect()).json()).toMatchObject({
        authorization_url: null,
        origins_to_confirm: [other.origin],
      })
      expect(scene.server.registrations.count).toBe(0)
    })

    it('is refused when an address contains a user name or a password', async () => {
      scene.server.behaviour.authorizationServer = null
      scene.server.behaviour.authorizationEndpoint =
        scene.server.origin.replace('//', '//known.example:x@') + '/authorize'
      const refused = await tryConnect({ confirmed_origins: [scene.server.origin, other.origin] })
      expect(refused.json()).toMatchObject({ error: { code: 'address_refused' } })
      expect(scene.server.registrations.count).toBe(0)
    })
  })
})
