import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AppError } from '../../lib/app-error.ts'
import { openHostileScene, ada, type HostileScene } from '../../testing/hostile-mcp/open-hostile-scene.ts'
import { connectConnector } from '../connect-connector.ts'
import { requireConnector } from '../connector-store.ts'
import { connectionKey } from '../mcp/connection-pool.ts'
import { createConsentRequest } from '../oauth/consent-request.ts'
import { listModelTools } from './list-model-tools.ts'
import { prepareConnector } from './prepare-connector.ts'

describe('a round of connections', () => {
  let scene: HostileScene
  beforeAll(async () => {
    scene = await openHostileScene()
  })
  afterAll(() => scene.close())

  async function list(reportsStored: boolean): Promise<string[]> {
    const seen: string[] = []
    await listModelTools(scene.connectors, {
      user: ada,
      apiType: 'openai',
      signal: new AbortController().signal,
      onStatus: ({ status, server, message }) => seen.push(`${status} ${server}: ${message}`),
      reportsStored,
    })
    return seen
  }

  /** Makes the next reply wait for the tools of a connector. */
  async function forgetList(name: string): Promise<void> {
    await scene.connectors.database.db
      .updateTable('connectors')
      .set({ tools_expire_at: null })
      .where('name', '=', name)
      .execute()
  }

  it('reports stored lists without asking a server, and one whose calls fail as an error', async () => {
    const name = await scene.connect('refusing')
    await list(true)
    const requests = (await scene.hostile.seen('refusing')).length
    expect(await list(false)).toEqual([])
    expect(await list(true)).toEqual([
      'connecting default: Connecting to default',
      `connecting ${name}: Connecting to ${name}`,
      'connected default: 2 tools',
      `connected ${name}: 1 tool`,
      'summary : 2 of 2 connectors are ready, with 3 tools.',
    ])
    expect(await scene.hostile.seen('refusing')).toHaveLength(requests)
    await scene.hostile.nextPhase('refusing')
    await scene.call({ connectorName: name })
    expect((await list(true)).slice(-2)).toEqual([
      expect.stringMatching(`^error ${name}: The server refused access`),
      'summary : 1 of 2 connectors are ready, with 3 tools.',
    ])
    await scene.hostile.nextPhase('refusing')
  })

  it('does not count tools that cannot be used', async () => {
    const name = await scene.connect('huge-schema')
    await forgetList(name)
    const seen = await list(false)
    // The reply may stop waiting for a list that takes so long to read, which is then reported late.
    await vi.waitUntil(() => seen.some((line) => line.startsWith(`connected ${name}`)))
    expect(seen).toContain(`connected ${name}: 2 tools`)
  })

  it('refreshes an old list also while the reply waits for another one', async () => {
    const { db } = scene.connectors.database
    const name = await scene.connect('polite')
    await list(false)
    await forgetList(name)
    const { id } = await requireConnector(db, ada, 'default')
    await db.updateTable('connectors').set({ tools_expire_at: 1 }).where('id', '=', id).execute()
    await list(false)
    await vi.waitUntil(async () => (await requireConnector(db, ada, 'default')).tools_expire_at !== 1)
  })

  it('does not claim to use the stored tools of a slow server that has none', async () => {
    const name = await scene.connect('late-list')
    await scene.connectors.database.db.deleteFrom('connector_tools').execute()
    await forgetList(name)
    expect(await list(false)).toContain(
      `info ${name}: ${name} is slow to respond; it has no stored tools yet.`,
    )
  })

  it('waits once for a server that hangs, and then uses its stored tools until it answers', async () => {
    const name = await scene.connect('polite')
    const { db } = scene.connectors.database
    const silent = {
      url: scene.hostile.url('silent'),
      era: null,
      credential_version: 99,
      tools_expire_at: null,
    }
    await db.updateTable('connectors').set(silent).where('name', '=', name).execute()
    const offer = async () => {
      const startedAt = performance.now()
      const signal = new AbortController().signal
      const { tools } = await listModelTools(scene.connectors, {
        user: ada,
        apiType: 'openai',
        signal,
        onStatus: () => undefined,
      })
      return { tools: tools.length, waited: performance.now() - startedAt >= 400 }
    }
    expect(await offer()).toEqual({ tools: 3, waited: true })
    // Whether it is still awaited in the background, or has failed by then.
    for (const status of ['connected', 'failed']) {
      await db.updateTable('connectors').set({ status }).where('name', '=', name).execute()
      scene.connectors.shared.backoff.reset(connectionKey(await requireConnector(db, ada, name)))
      expect(await offer()).toEqual({ tools: 3, waited: false })
    }
    await db
      .updateTable('connectors')
      .set({ url: scene.hostile.url('polite') })
      .where('name', '=', name)
      .execute()
    await connectConnector(
      scene.connectors,
      await requireConnector(db, ada, name),
      createConsentRequest('/settings/connectors'),
    )
    const key = connectionKey(await requireConnector(db, ada, name))
    expect(scene.connectors.shared.unanswered.has(key)).toBe(false)
  })

  it('reports a server that responds after the reply has stopped waiting for it', async () => {
    const name = await scene.connect('late-list')
    await forgetList(name)
    const seen: string[] = []
    await listModelTools(scene.connectors, {
      user: ada,
      apiType: 'openai',
      signal: new AbortController().signal,
      onStatus: ({ status, server }) => seen.push(`${status} ${server}`),
    })
    expect(seen).toContain(`info ${name}`)
    expect(seen).not.toContain(`connected ${name}`)
    await vi.waitUntil(() => seen.includes(`connected ${name}`))
  })
  it('says that a server is slow before it reports what became of it', async () => {
    const name = await scene.connect('polite')
    const { database, shared } = scene.connectors
    const connector = await requireConnector(database.db, ada, name)
    shared.backoff.recordFailure(connectionKey(connector), new AppError('upstream_error', 'It failed.'))
    const seen: string[] = []
    await prepareConnector(scene.connectors, connector, {
      needsRefresh: true,
      signal: AbortSignal.abort(),
      onStatus: ({ status }) => seen.push(status),
    })
    await vi.waitUntil(() => seen.length === 2)
    expect(seen).toEqual(['info', 'error'])
  })
})
