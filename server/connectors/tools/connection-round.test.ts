import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AppError } from '../../lib/app-error.ts'
import { openHostileScene, ada, type HostileScene } from '../../testing/hostile-mcp/open-hostile-scene.ts'
import { requireConnector } from '../connector-store.ts'
import { connectionKey } from '../mcp/connection-pool.ts'
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
    await vi.waitUntil(() => seen.some((line) => line.startsWith(`connected ${name}`)), { timeout: 10_000 })
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
    await vi.waitUntil(async () => (await requireConnector(db, ada, 'default')).tools_expire_at !== 1, {
      timeout: 30_000,
    })
  })

  it('does not claim to use the stored tools of a slow server that has none', async () => {
    const name = await scene.connect('late-list')
    await scene.connectors.database.db.deleteFrom('connector_tools').execute()
    await forgetList(name)
    expect(await list(false)).toContain(
      `info ${name}: ${name} is slow to respond; it has no stored tools yet.`,
    )
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
    await vi.waitUntil(() => seen.includes(`connected ${name}`), { timeout: 10_000 })
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
