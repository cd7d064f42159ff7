import { describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import {
  pathOf,
  ConnectorScene,
  connectorSteps,
  connectorUrl as url,
} from '../../testing/mcp/connector-steps.ts'

describe.each(engines)('blocking tools on %s', (engine) => {
  const scene = new ConnectorScene(engine)
  const { find, create, rows, storeTools } = connectorSteps(scene)
  const change = (fields: object, name = 'Tools') => scene.ada.put(pathOf(name), { name, url, ...fields })
  const listsOf = async (name = 'Tools') => {
    const { allow_tools, block_tools } = await find(name)
    return { allow_tools, block_tools }
  }

  it('stores the names, keeps them when they are absent, and empties the list with null', async () => {
    const created = await create({ allow_tools: [], block_tools: ['a', 'a', ' '] })
    expect(created.json()).toMatchObject({ block_tools: ['a'] })
    expect((await change({ block_tools: ['b', 'c'] })).json()).toMatchObject({ block_tools: ['b', 'c'] })
    await change({ allow_tools: ['d'] })
    expect(await listsOf()).toEqual({ allow_tools: ['d'], block_tools: ['b', 'c'] })
    await change({ block_tools: null })
    expect(await listsOf()).toEqual({ allow_tools: ['d'], block_tools: [] })
  })

  it('takes a tool off the list of allowed ones, and keeps the others as they were allowed', async () => {
    await create({ allow_tools: [] })
    await storeTools('Tools', { name: 'a', description: 'A' }, { name: 'b', description: 'B' })
    await change({ allow_tools: ['a', 'b'] })
    await storeTools('Tools', { name: 'a', description: 'A' }, { name: 'b', description: 'changed' })
    await change({ block_tools: ['a'] })
    const { allow_tools, block_tools, tools } = await find('Tools')
    expect({ allow_tools, block_tools }).toEqual({ allow_tools: ['b'], block_tools: ['a'] })
    expect(tools.map(({ consent }) => consent)).toEqual(['ask', 'ask_changed'])
  })

  it('is possible while every other tool runs without approval', async () => {
    await create({ allow_tools: null })
    await change({ block_tools: ['a'] })
    expect(await listsOf()).toEqual({ allow_tools: null, block_tools: ['a'] })
  })

  it('lets no input allow a blocked tool, and writes nothing', async () => {
    await create({ allow_tools: ['b'], block_tools: ['a'] })
    const before = await rows()
    const allowed = await change({ allow_tools: ['b', ' a '] })
    expect(allowed.statusCode).toBe(409)
    expect(allowed.json()).toMatchObject({
      error: {
        code: 'conflict',
        message: 'The tool "a" is blocked. Unblock it in Configure Tools first.',
      },
    })
    const both = await change({ name: 'Renamed', allow_tools: ['c'], block_tools: ['c'] })
    expect(both.statusCode).toBe(400)
    expect(both.json()).toMatchObject({
      error: { code: 'invalid_request', message: 'The tool "c" cannot be allowed and blocked at once.' },
    })
    expect((await create({ name: 'Both', allow_tools: ['c'], block_tools: ['c'] })).statusCode).toBe(400)
    expect(await rows()).toEqual(before)
    // One input can unblock a tool and allow it.
    expect((await change({ allow_tools: ['a'], block_tools: [] })).statusCode).toBe(200)
  })

  it('at the same time as allowing leaves a tool in one list only', async () => {
    await create({ allow_tools: [] })
    await storeTools('Tools', { name: 'a', description: 'A' })
    for (let round = 0; round < 5; round++) {
      await change({ allow_tools: [], block_tools: [] })
      await Promise.all([change({ block_tools: ['a'] }), change({ allow_tools: ['a'] })])
      expect(await listsOf()).toEqual({ allow_tools: [], block_tools: ['a'] })
    }
  })

  it('refuses more than 400 names, and writes nothing', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `t${index}`)
    await create({ allow_tools: [], block_tools: ['a'] })
    const before = await rows()
    for (const block_tools of [names, names.slice(0, 401), ['x'.repeat(201)], 'a', [1]]) {
      const response = await change({ block_tools })
      expect(response.statusCode).toBe(400)
      expect(response.body).toContain('block_tools')
    }
    expect(await rows()).toEqual(before)
    expect((await change({ block_tools: names.slice(0, 400) })).statusCode).toBe(200)
  })

  it('trims names as those of allowed tools', async () => {
    await create({ allow_tools: [] })
    await storeTools('Tools', { name: 'send ', description: 'Sends' })
    await change({ block_tools: ['send ', ' other '] })
    expect((await find('Tools')).block_tools).toEqual(['send ', 'other'])
    await storeTools('Tools', { name: 'another', description: 'Another' })
    await change({ block_tools: ['send ', 'other'] })
    expect((await find('Tools')).block_tools).toEqual(['send ', 'other'])
  })

  it('lasts while the tool is not listed, when it changes, and at another address', async () => {
    await create({ allow_tools: [] })
    await storeTools('Tools', { name: 'a', description: 'A' })
    await change({ allow_tools: ['b'], block_tools: ['a'] })
    await storeTools('Tools', { name: 'another', description: 'Another' })
    expect((await find('Tools')).block_tools).toEqual(['a'])
    await storeTools('Tools', { name: 'a', description: 'changed' })
    expect((await find('Tools')).block_tools).toEqual(['a'])
    // The form repeats what is allowed at the old address.
    const moved = await change({ url: 'https://other.example/mcp', allow_tools: ['a'] })
    expect(moved.json()).toMatchObject({ allow_tools: [], block_tools: ['a'] })
  })

  it('is each user’s own choice for a default connector', async () => {
    const eve = await scene.test.signIn('Eve')
    await eve.get('/api/mcp-servers')
    await scene.ada.get('/api/mcp-servers')
    const builtIn = { name: 'default', url: 'builtin://default', block_tools: ['calculate'] }
    expect((await scene.ada.put(pathOf('default'), builtIn)).statusCode).toBe(200)
    expect((await find('default')).block_tools).toEqual(['calculate'])
    const [others] = (await eve.get('/api/mcp-servers')).json<{ block_tools: string[] }[]>()
    expect(others?.block_tools).toEqual([])
    const read = await scene.ada.get(`${pathOf('default')}/tools/calculate`)
    expect(read.json()).toMatchObject({ name: 'default__calculate', offered: false })
  })
})
