import { describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import {
  pathOf,
  ConnectorScene,
  connectorSteps,
  connectorUrl as url,
} from '../../testing/mcp/connector-steps.ts'

describe.each(engines)('allowing tools on %s', (engine) => {
  const scene = new ConnectorScene(engine)
  const { find, create, rows, storeTools } = connectorSteps(scene)
  const consentOf = async (tool: string) =>
    (await find('Tools')).tools.find(({ name }) => name === tool)?.consent

  it('removes the list and adds it again', async () => {
    await create({ allow_tools: [] })
    await scene.ada.put(pathOf('Tools'), { name: 'Tools', url, allow_tools: null })
    expect((await find('Tools')).allow_tools).toBeNull()
    await scene.ada.put(pathOf('Tools'), { name: 'Tools', url, allow_tools: ['x'] })
    expect((await find('Tools')).allow_tools).toEqual(['x'])
  })

  it('allows a tool until it changes (§4.19, §4.21)', async () => {
    await create({ allow_tools: [] })
    await storeTools('Tools', { name: 'a', description: 'A' }, { name: 'b', description: 'B' })
    expect(await consentOf('a')).toBe('ask')
    await scene.ada.put(pathOf('Tools'), { name: 'Tools', url, allow_tools: ['a'] })
    expect(await consentOf('a')).toBe('run')
    expect(await consentOf('b')).toBe('ask')
    await storeTools('Tools', { name: 'a', description: 'changed' })
    expect(await consentOf('a')).toBe('ask_changed')
  })

  it('does not allow a changed tool when another one is added to the list', async () => {
    await create({ allow_tools: [] })
    await storeTools('Tools', { name: 'a', description: 'A' }, { name: 'b', description: 'B' })
    await scene.ada.put(pathOf('Tools'), { name: 'Tools', url, allow_tools: ['a'] })
    await storeTools('Tools', { name: 'a', description: 'changed' }, { name: 'b', description: 'B' })
    await scene.ada.put(pathOf('Tools'), { name: 'Tools', url, allow_tools: ['a', 'b'] })
    expect(await consentOf('a')).toBe('ask_changed')
    expect(await consentOf('b')).toBe('run')
  })

  it('allows a changed tool again when the user has seen it', async () => {
    await create({ allow_tools: [] })
    await storeTools('Tools', { name: 'a', description: 'A' })
    await scene.ada.put(pathOf('Tools'), { name: 'Tools', url, allow_tools: ['a'] })
    await storeTools('Tools', { name: 'a', description: 'changed' })
    const seen = (await find('Tools')).tools[0]?.fingerprint ?? ''
    await scene.ada.put(pathOf('Tools'), {
      name: 'Tools',
      url,
      allow_tools: ['a'],
      tool_fingerprints: { a: seen },
    })
    expect(await consentOf('a')).toBe('run')
  })

  it('refuses to allow a tool that differs from what the user saw, and writes nothing', async () => {
    await create({ allow_tools: [] })
    await storeTools('Tools', { name: 'a', description: 'A' })
    const before = await rows()
    for (const [tool_fingerprints, message] of [
      [{ a: 'what was seen' }, 'The tool "a" has changed since you saw it.'],
      [{ b: 'unknown' }, 'The connector no longer has the tool "b".'],
    ] as const) {
      const response = await scene.ada.put(pathOf('Tools'), {
        name: 'Tools',
        url,
        allow_tools: ['a', 'b'],
        tool_fingerprints,
      })
      expect(response.statusCode).toBe(409)
      expect(response.json()).toMatchObject({
        error: { code: 'conflict', message: expect.stringContaining(message) as string },
      })
    }
    expect(await rows()).toEqual(before)
  })

  it('requires approval for a tool that was allowed before its definition was known', async () => {
    await create({ allow_tools: ['a'] })
    await storeTools('Tools', { name: 'a', description: 'A' })
    expect(await consentOf('a')).toBe('ask_changed')
  })
})
