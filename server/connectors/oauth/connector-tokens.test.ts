import { setTimeout as pause } from 'node:timers/promises'
import { ConnectResult } from '@yonder/contract/connector'
import { describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { ConsentScene } from '../../testing/mcp/consent-scene.ts'
import { requireConnector } from '../connector-store.ts'
import { openConnectors } from '../open-connectors.ts'
import { createAuthProvider, refreshTokens } from './authorize-server.ts'
import { findGrant, grantLease } from './grant-store.ts'

describe.each(engines)('tokens of connectors on %s', (engine) => {
  const scene = new ConsentScene(engine)

  it('refreshes tokens before they expire, once for many calls on two nodes', async () => {
    scene.server.behaviour.accessTokenLifeS = 20
    await scene.connect()
    scene.server.behaviour.accessTokenLifeS = 3_600
    const before = scene.server.tokenRequests.length
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => scene.call(scene.nodes[index % 2])),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'done'))
    expect(scene.server.tokenRequests.slice(before)).toEqual(['refresh_token'])
  })

  it('refreshes tokens once on two nodes whose clocks differ by more than the lease', async () => {
    scene.server.behaviour.accessTokenLifeS = 20
    await scene.connect()
    scene.server.behaviour.accessTokenLifeS = 3_600
    const now = () => Date.now() + 10 * 60_000
    const ahead = openConnectors(
      { ...scene.test.deps, now },
      { onChanged: () => undefined, onError: () => undefined },
    )
    let respond: (value?: unknown) => void = () => undefined
    const gate = new Promise((resolve) => (respond = resolve))
    scene.server.behaviour.beforeTokens = () => gate
    const before = scene.server.tokenRequests.length
    const first = scene.call()
    await expect.poll(() => scene.server.tokenRequests.length, { interval: 5 }).toBe(before + 1)
    const second = scene.call(ahead)
    await Promise.race([second, pause(300)])
    respond()
    expect([(await first).status, (await second).status]).toEqual(['done', 'done'])
    expect(scene.server.tokenRequests.slice(before)).toEqual(['refresh_token'])
    await ahead.close()
  })

  it('refreshes tokens that its server ends early, as often as that happens over one connection', async () => {
    await scene.connect()
    const before = scene.server.tokenRequests.length
    for (let count = 1; count <= 6; count++) {
      scene.server.forgetAccessTokens()
      expect((await scene.call()).status).toBe('done')
      expect(scene.server.tokenRequests).toHaveLength(before + count)
    }
  })

  it('ends only its own reservation when it releases a refresh', async () => {
    await scene.connect()
    const { database } = scene.test
    const row = await requireConnector(database.db, scene.ada.user, 'Guarded')
    const grant = await findGrant(scene.test.deps, row)
    const { reserve, release } = grantLease(database, row, grant!)
    const ranOut = await reserve(-1_000)
    const current = await reserve(30_000)
    await release(ranOut!)
    expect(await reserve(30_000)).toBeUndefined()
    await release(current!)
    expect(await reserve(30_000)).toBeGreaterThan(0)
  })

  it('sends no tokens of a later consent with a request that began before it', async () => {
    await scene.connect()
    const { deps } = scene.nodes[0]!
    const before = await requireConnector(scene.test.database.db, scene.ada.user, 'Guarded')
    scene.server.behaviour.revoked = true
    const { back, cookie } = await scene.start()
    scene.server.behaviour.revoked = false
    expect(await scene.returnFromConsent(back, cookie)).toContain('authorization=connected')
    const earlier = await createAuthProvider(deps, before, new URL(scene.server.url), undefined)
    await expect(earlier.token()).rejects.toThrow('was connected again before the request was sent')
    const now = await requireConnector(scene.test.database.db, scene.ada.user, 'Guarded')
    expect(await (await createAuthProvider(deps, now, new URL(scene.server.url), undefined)).token()).toBe(
      scene.server.bearers.at(-1),
    )
  })

  /** Connects, starts a refresh that waits for its server, and consents again meanwhile. */
  async function consentDuringRefresh({ isRefused = false } = {}) {
    await scene.connect()
    const { deps } = scene.nodes[0]!
    const readRow = () => requireConnector(scene.test.database.db, scene.ada.user, 'Guarded')
    const readTokens = async () => (await findGrant(deps, await readRow()))?.tokens
    const row = await readRow()
    const former = await findGrant(deps, row)
    scene.server.behaviour.missingScope = 'more'
    const { back, cookie } = await scene.start()
    scene.server.behaviour.missingScope = null
    let respond: (value?: unknown) => void = () => undefined
    const gate = new Promise((resolve) => (respond = resolve))
    scene.server.behaviour.beforeTokens = () => gate
    scene.server.behaviour.revoked = isRefused
    const before = scene.server.tokenRequests.length
    const refreshing = refreshTokens(deps, row, new URL(row.url), {
      ...former!,
      tokens: former!.tokens!,
    }).catch((error: unknown) => error)
    await expect.poll(() => scene.server.tokenRequests.length, { interval: 5 }).toBe(before + 1)
    scene.server.behaviour.beforeTokens = () => Promise.resolve()
    scene.server.behaviour.revoked = false
    expect(await scene.returnFromConsent(back, cookie)).toContain('authorization=connected')
    expect(scene.server.tokenRequests.slice(before)).toEqual(['refresh_token', 'authorization_code'])
    return { refreshing, respond, readTokens }
  }

  it.each(['issues', 'refuses'])(
    'keeps the tokens of a consent that was given while the server %s refreshed ones',
    async (outcome) => {
      const { refreshing, respond, readTokens } = await consentDuringRefresh({
        isRefused: outcome === 'refuses',
      })
      const consented = await readTokens()
      expect(consented).toMatchObject({ tokens: expect.anything() as unknown })
      respond()
      if (outcome === 'refuses') expect(await refreshing).toBe(false)
      else expect(await refreshing).toMatchObject({ code: 'conflict' })
      expect(await readTokens()).toEqual(consented)
      expect((await scene.call()).status).toBe('done')
    },
  )

  it.each([0, 1])(
    'refreshes the tokens of a consent while the former ones are still being refreshed, on node %i',
    async (index) => {
      const { refreshing, respond, readTokens } = await consentDuringRefresh()
      scene.server.forgetAccessTokens()
      expect((await scene.call(scene.nodes[index])).status).toBe('done')
      const current = await readTokens()
      respond()
      expect(await refreshing).toMatchObject({ code: 'conflict' })
      expect(await readTokens()).toEqual(current)
    },
  )

  it('stores no tokens that are refreshed while a user is disabled', async () => {
    await scene.connect()
    scene.server.forgetAccessTokens()
    scene.server.behaviour.beforeTokens = () => scene.nodes[1]!.revokeTokens(scene.ada.user.id)
    expect((await scene.call()).status).toBe('failed')
    expect(await scene.listGrants()).toEqual([])
    expect(await scene.readConnector()).toMatchObject({ status: 'disconnected' })
  })

  it('requires consent again when its tokens are revoked, without repeated requests', async () => {
    scene.server.behaviour.accessTokenLifeS = 1
    await scene.connect()
    scene.server.behaviour.revoked = true
    const before = scene.server.tokenRequests.length
    expect(await scene.call()).toMatchObject({ status: 'authorization_needed' })
    expect(scene.server.tokenRequests.length - before).toBeLessThanOrEqual(2)
    expect(await scene.readConnector()).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('consent') as string,
    })
    scene.server.behaviour.revoked = false
    scene.server.behaviour.accessTokenLifeS = 3_600
    await scene.connect()
    expect((await scene.call()).status).toBe('done')
  })

  /** Makes a call that lacks a scope. */
  async function callWithout(scope: string) {
    scene.server.behaviour.missingScope = scope
    expect((await scene.call()).status).toBe('authorization_needed')
    scene.server.behaviour.missingScope = null
  }

  /** Connects, and returns the scope that the consent page is opened with. */
  async function readRequestedScope() {
    const response = await scene.ada.post('/api/mcp-server/Guarded/connect')
    const { authorization_url } = ConnectResult.parse(response.json())
    return new URL(authorization_url ?? '').searchParams.get('scope')
  }

  it.each([
    ['expire', () => scene.advance(3_590_000)],
    ['are refused', () => scene.server.forgetAccessTokens()],
  ])(
    'requests the scope that a call lacked even if tokens %s and are refreshed meanwhile',
    async (_, end) => {
      await scene.connect()
      await callWithout('write')
      end()
      expect((await scene.call()).status).toBe('done')
      expect(scene.server.tokenRequests).toEqual(['authorization_code', 'refresh_token'])
      expect(await readRequestedScope()).toBe('write')
      await scene.connect()
      const again = await scene.ada.post('/api/mcp-server/Guarded/connect')
      expect(again.json()).toMatchObject({ authorization_url: null, connector: { status: 'connected' } })
    },
  )

  it('requests the granted scope too when its tokens are revoked after a call lacked a scope', async () => {
    await scene.connect()
    await callWithout('write')
    await scene.connect()
    await callWithout('share')
    scene.server.behaviour.revoked = true
    expect((await scene.call()).status).toBe('authorization_needed')
    expect(await readRequestedScope()).toBe('write share')
  })

  it('sends a refresh token once when its server fails while the user connects', async () => {
    await scene.connect()
    scene.server.forgetAccessTokens()
    const refreshes: (string | null)[] = []
    scene.server.behaviour.respondToTokenRequest = (form) => {
      refreshes.push(form.get('refresh_token'))
      return { status: 500, body: JSON.stringify({ error: 'server_error' }) }
    }
    const asked = ConnectResult.parse((await scene.ada.post('/api/mcp-server/Guarded/connect')).json())
    expect(asked.authorization_url).toContain(scene.server.origin)
    expect(refreshes).toEqual([expect.any(String)])
  })

  it('deletes its tokens when the address changes, and with the connector', async () => {
    await scene.connect()
    expect(await scene.listGrants()).not.toEqual([])
    await scene.ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: 'https://other.example' })
    expect(await scene.listGrants()).toEqual([])
    await scene.ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: scene.server.url })
    await scene.connect()
    expect(await scene.listGrants()).not.toEqual([])
    expect((await scene.ada.delete('/api/mcp-server/Guarded')).statusCode).toBe(204)
    expect(await scene.listGrants()).toEqual([])
  })

  it('revokes tokens when their connector is deleted or its address changes', async () => {
    for (const removeTokens of [
      () => scene.ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: 'https://other.example' }),
      () => scene.ada.delete('/api/mcp-server/Guarded'),
    ]) {
      await scene.ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: scene.server.url })
      await scene.connect()
      const access = scene.server.bearers.at(-1)
      const before = scene.server.revocations.length
      expect((await removeTokens()).statusCode).toBeLessThan(300)
      await expect.poll(() => scene.server.revocations.length).toBe(before + 2)
      expect(scene.server.revocations.slice(before)).toEqual([
        { token: expect.any(String), token_type_hint: 'refresh_token', client_id: 'yonder-here' },
        { token: access, token_type_hint: 'access_token', client_id: 'yonder-here' },
      ])
    }
  })

  it('revokes and removes the tokens of a user who is disabled', async () => {
    await scene.connect()
    const access = scene.server.bearers.at(-1)
    await scene.nodes[0]?.revokeTokens(scene.ada.user.id)
    await expect.poll(() => scene.server.revocations.length).toBe(2)
    expect(scene.server.revocations[1]).toMatchObject({ token: access })
    expect(await scene.listGrants()).toEqual([])
    expect(await scene.readConnector()).toMatchObject({ status: 'disconnected' })
  })

  it('does not wait for a server that revokes tokens slowly', async () => {
    let respond: (value?: unknown) => void = () => undefined
    scene.server.behaviour.beforeRevocation = () => new Promise((resolve) => (respond = resolve))
    await scene.connect()
    expect((await scene.ada.delete('/api/mcp-server/Guarded')).statusCode).toBe(204)
    await expect.poll(() => scene.server.revocations.length).toBe(1)
    expect(await scene.readConnector()).toBeUndefined()
    respond()
    await expect.poll(() => scene.server.revocations.length).toBe(2)
    respond()
  })

  it('deletes a connector whose server does not revoke tokens, and keeps the tokens of the others', async () => {
    scene.server.behaviour.supportsRevocation = false
    await scene.connect()
    expect((await scene.ada.delete('/api/mcp-server/Guarded')).statusCode).toBe(204)
    scene.server.behaviour.supportsRevocation = true
    await scene.ada.post('/api/mcp-server', { name: 'Guarded', url: scene.server.url, allow_tools: [] })
    await scene.connect()
    await scene.ada.put('/api/mcp-server/Guarded', {
      name: 'Guarded',
      url: scene.server.url,
      allow_tools: ['secret'],
    })
    expect((await scene.call()).status).toBe('done')
    expect(scene.server.revocations).toEqual([])
  })

  it('returns no tokens for an earlier address of the connector', async () => {
    await scene.connect()
    const row = await requireConnector(scene.test.database.db, scene.ada.user, 'Guarded')
    expect(await findGrant(scene.test.deps, row)).toBeDefined()
    expect(await findGrant(scene.test.deps, { ...row, url: 'https://former.example' })).toBeUndefined()
  })

  it.each(['refreshed', 'issued'])('stores no tokens that are %s while the address changes', async (when) => {
    scene.server.behaviour.accessTokenLifeS = 20
    const back = when === 'refreshed' ? (await scene.connect(), undefined) : await scene.start()
    scene.server.behaviour.beforeTokens = () =>
      scene.ada.put('/api/mcp-server/Guarded', { name: 'Guarded', url: 'https://other.example' })
    if (back === undefined) expect((await scene.call()).status).toBe('failed')
    else expect(await scene.returnFromConsent(back.back, back.cookie)).toContain('authorization=failed')
    expect(scene.server.tokenRequests.at(-1)).toBe(
      when === 'refreshed' ? 'refresh_token' : 'authorization_code',
    )
    expect(await scene.listGrants()).toEqual([])
  })
})
