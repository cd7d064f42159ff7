import type { ToolPermission } from '@yonder/contract/connector'
import { describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import {
  pathOf,
  ConnectorScene,
  connectorSteps,
  connectorUrl as url,
} from '../../testing/mcp/connector-steps.ts'

describe.each(engines)('the permissions of tools on %s', (engine) => {
  const scene = new ConnectorScene(engine)
  const { find, create, rows, storeTools } = connectorSteps(scene)
  const change = (fields: object, name = 'Tools') => scene.ada.put(pathOf(name), { name, url, ...fields })
  const decide = (tools: readonly ToolPermission[], fields: object = {}, name = 'Tools') =>
    scene.ada.patch(pathOf(name), { tools, ...fields })
  const printOf = (tool: string, description: string) => `print of ${tool}: ${description}`
  const allow = (name: string, description = name.toUpperCase()): ToolPermission => ({
    name,
    permission: 'allow',
    fingerprint: printOf(name, description),
  })
  const ask = (name: string): ToolPermission => ({ name, permission: 'ask' })
  const block = (name: string): ToolPermission => ({ name, permission: 'block' })
  const storeNamed = (...names: string[]) =>
    storeTools('Tools', ...names.map((name) => ({ name, description: name.toUpperCase() })))
  const listsOf = async (name = 'Tools') => {
    const { allow_tools, block_tools } = await find(name)
    return { allow_tools, block_tools }
  }
  const consentOf = async (tool: string) =>
    (await find('Tools')).tools.find(({ name }) => name === tool)?.consent
  const refusal = (message: string) => ({
    error: { code: 'conflict', message: expect.stringContaining(message) as string },
  })

  describe('changed one by one', () => {
    it('are allowed, blocked and taken back, and no other permission changes', async () => {
      await create({ allow_tools: ['kept'], block_tools: ['refused'] })
      await storeNamed('a', 'b')
      expect((await decide([allow('a')])).json()).toMatchObject({
        allow_tools: ['kept', 'a'],
        tools: [{ consent: 'run' }, { consent: 'ask' }],
      })
      await decide([block('b')])
      expect(await listsOf()).toEqual({ allow_tools: ['kept', 'a'], block_tools: ['refused', 'b'] })
      await decide([block('a'), ask('refused')])
      expect(await listsOf()).toEqual({ allow_tools: ['kept'], block_tools: ['a', 'b'] })
      await decide([ask('kept')])
      expect(await listsOf()).toEqual({ allow_tools: [], block_tools: ['a', 'b'] })
    })

    it('are the same when a request is repeated', async () => {
      await create({ allow_tools: [] })
      await storeNamed('a', 'b', 'c')
      const all = [allow('a'), block('b'), ask('c')]
      const [first, second] = [await decide(all), await decide(all)]
      expect(second.statusCode).toBe(200)
      expect(second.body).toBe(first.body)
    })

    it('are all kept when several are changed at once', async () => {
      await create({ allow_tools: ['removed'] })
      const names = ['a', 'b', 'c', 'd', 'e', 'f']
      await storeNamed(...names)
      const all = [...names.map((name) => allow(name)), ask('removed')]
      const responses = await Promise.all(all.map((each) => decide([each])))
      expect(responses.map(({ statusCode }) => statusCode)).toEqual(all.map(() => 200))
      const { allow_tools } = await find('Tools')
      expect(allow_tools?.toSorted()).toEqual(names)
    })

    it('are kept by a slow change of another field of the connector', async () => {
      await create({ allow_tools: ['removed'] })
      await storeNamed('a')
      const { name, url: address, token, status, is_default } = await find('Tools')
      await decide([ask('removed'), allow('a')])
      await change({ name, url: address, token, status, is_default, client_id: 'mine' })
      expect(await listsOf()).toEqual({ allow_tools: ['a'], block_tools: [] })
    })

    it('allow a changed tool again in the version that the user saw', async () => {
      await create({ allow_tools: [] })
      await storeNamed('a')
      await decide([allow('a')])
      await storeTools('Tools', { name: 'a', description: 'changed' })
      expect(await consentOf('a')).toBe('ask_changed')
      await decide([allow('a', 'changed')])
      expect(await consentOf('a')).toBe('run')
    })

    it('are refused for a tool that has changed, is gone or is blocked, and nothing is written', async () => {
      await create({ allow_tools: ['x'], block_tools: ['b'] })
      await storeNamed('a', 'b', 'c')
      const before = await rows()
      for (const [last, message] of [
        [allow('a', 'seen'), 'The tool "a" has changed since you saw it.'],
        [allow('gone'), 'The connector no longer has the tool "gone".'],
        [block('gone'), 'The connector no longer has the tool "gone".'],
        [allow('b'), 'The tool "b" is blocked. Unblock it in Configure Tools first.'],
      ] as const) {
        const response = await decide([block('c'), ask('x'), last], { asks: false })
        expect(response.statusCode).toBe(409)
        expect(response.json()).toMatchObject(refusal(message))
      }
      expect(await rows()).toEqual(before)
      await decide([{ ...allow('b'), unblock: true }])
      expect(await listsOf()).toEqual({ allow_tools: ['x', 'b'], block_tools: [] })
    })

    it('are refused when the request is not complete, and nothing is written', async () => {
      await create({ allow_tools: [] })
      await storeNamed('a')
      const before = await rows()
      const many = Array.from({ length: 401 }, () => block('a'))
      for (const body of [{}, { tools: [{ name: 'a', permission: 'run' }] }, { tools: many }])
        expect((await scene.ada.patch(pathOf('Tools'), body)).statusCode).toBe(400)
      expect(await rows()).toEqual(before)
    })

    it('change whether all other tools ask, which takes back what was allowed', async () => {
      await create({ allow_tools: ['a'], block_tools: ['b'] })
      expect((await decide([], { asks: true })).json()).toMatchObject({ allow_tools: ['a'] })
      await decide([], { asks: false })
      expect(await listsOf()).toEqual({ allow_tools: null, block_tools: ['b'] })
      await storeNamed('c')
      expect(await consentOf('c')).toBe('run')
      await decide([allow('c')])
      expect((await find('Tools')).allow_tools).toBeNull()
      await decide([], { asks: true })
      expect(await listsOf()).toEqual({ allow_tools: [], block_tools: ['b'] })
    })

    it('are refused when they would be more than two full lists, and nothing is written', async () => {
      const names = Array.from({ length: 1_000 }, (_, index) => `t${index}`)
      await create({ allow_tools: names.map((name) => `other ${name}`), block_tools: names })
      await storeNamed('a', 't0')
      const before = await rows()
      const response = await decide([block('a')])
      expect(response.statusCode).toBe(409)
      expect(response.json()).toMatchObject(
        refusal('At most 2000 tools of "Tools" can be allowed or blocked.'),
      )
      expect(await rows()).toEqual(before)
      expect((await decide([ask('t1'), block('t0'), allow('a')])).statusCode).toBe(200)
    })
  })

  describe('in a change of the whole connector', () => {
    it('removes the list and adds it again', async () => {
      await create({ allow_tools: [] })
      await change({ allow_tools: null })
      expect((await find('Tools')).allow_tools).toBeNull()
      await change({ allow_tools: ['x'] })
      expect((await find('Tools')).allow_tools).toEqual(['x'])
    })

    it('allows a tool until it changes (§4.19, §4.21)', async () => {
      await create({ allow_tools: [] })
      await storeNamed('a', 'b')
      expect(await consentOf('a')).toBe('ask')
      await change({ allow_tools: ['a'] })
      expect(await consentOf('a')).toBe('run')
      expect(await consentOf('b')).toBe('ask')
      await storeTools('Tools', { name: 'a', description: 'changed' })
      expect(await consentOf('a')).toBe('ask_changed')
    })

    it('does not allow a changed tool when another one is added to the list', async () => {
      await create({ allow_tools: [] })
      await storeNamed('a', 'b')
      await change({ allow_tools: ['a'] })
      await storeTools('Tools', { name: 'a', description: 'changed' }, { name: 'b', description: 'B' })
      await change({ allow_tools: ['a', 'b'] })
      expect(await consentOf('a')).toBe('ask_changed')
      expect(await consentOf('b')).toBe('run')
    })

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

    it('refuses more than 1,000 names, and writes nothing', async () => {
      const names = Array.from({ length: 10_000 }, (_, index) => `t${index}`)
      await create({ allow_tools: [], block_tools: ['a'] })
      const before = await rows()
      for (const block_tools of [names, names.slice(0, 1_001), ['x'.repeat(201)], 'a', [1]]) {
        const response = await change({ block_tools })
        expect(response.statusCode).toBe(400)
        expect(response.body).toContain('block_tools')
      }
      expect(await rows()).toEqual(before)
      expect((await change({ block_tools: names.slice(0, 1_000) })).statusCode).toBe(200)
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
})
