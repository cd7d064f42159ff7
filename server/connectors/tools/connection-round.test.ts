import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openHostileScene, ada } from '../../testing/hostile-mcp/open-hostile-scene.ts'
import type { HostileScene } from '../../testing/hostile-mcp/open-hostile-scene.ts'
import { listModelTools } from './list-model-tools.ts'

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

  it('reports stored lists without asking a server, and one whose calls fail as an error (§17.17, §18.40)', async () => {
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

  it('reports a server that responds after the reply has stopped waiting for it (§17.17)', async () => {
    const name = await scene.connect('late-list')
    await scene.connectors.database.db
      .updateTable('connectors')
      .set({ tools_expire_at: null })
      .where('name', '=', name)
      .execute()
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
})
