import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTarget } from '../../testing/mcp/find-target.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import {
  startSloppyMcpServer,
  usualInitialize,
  usualTool,
  type SloppyMethods,
} from '../../testing/mcp/sloppy-mcp-server.ts'
import { callTool } from '../calls/call-tool.ts'
import { connectorLimits } from '../connector-limits.ts'
import { readMessage } from './read-message.ts'

let connectors: TestConnectors
const user = { id: 'ada' }

beforeAll(async () => {
  connectors = await openTestConnectors({ limits: { maxConnectorsPerUser: 1_000 } })
  await connectors.addUser(user.id)
})
afterAll(() => connectors.close())

let count = 0

/** Connects to a server with these responses and calls its tool. */
async function use(methods: SloppyMethods) {
  const server = await startSloppyMcpServer(methods)
  try {
    const name = `sloppy ${++count}`
    await connectors.connect(user.id, { name, url: server.url })
    const target = await findTarget(connectors, user, name, 'act')
    const outcome = await callTool(connectors, {
      user,
      ...target,
      arguments: {},
      approval: 'once',
      signal: AbortSignal.timeout(10_000),
    })
    return { ...outcome, lists: server.calls.get('tools/list') }
  } finally {
    await server.close()
  }
}

const result = (method: string, value: unknown, rest: object = {}): SloppyMethods => ({
  [method]: ({ id }) => ({ jsonrpc: '2.0', id, result: value, ...rest }),
})
const initialize = (change: object) => result('initialize', { ...usualInitialize, ...change })
const tool = (change: object) => result('tools/list', { tools: [{ ...usualTool, ...change }] })

describe('a sloppy server is used', () => {
  it.each<[string, SloppyMethods]>([
    ['nothing sloppy', {}],
    ['null beside the result', result('initialize', usualInitialize, { error: null })],
    ['null as instructions', initialize({ instructions: null, _meta: null })],
    [
      'null in capabilities',
      initialize({ capabilities: { tools: { listChanged: null }, logging: null, prompts: null } }),
    ],
    ['null as the only capability', initialize({ capabilities: { tools: null } })],
    ['no capabilities', initialize({ capabilities: undefined })],
    ['null as capabilities', initialize({ capabilities: null })],
    ['lists as capabilities', initialize({ capabilities: { tools: [], experimental: [] } })],
    ['true as capability', initialize({ capabilities: { tools: true, resources: false } })],
    ['no server info', initialize({ serverInfo: undefined })],
    ['null in the server info', initialize({ serverInfo: { name: null, version: null, title: null } })],
    ['a number as version', initialize({ serverInfo: { name: 'x', version: 2 } })],
    ['no JSON-RPC version', { initialize: ({ id }) => ({ id, result: usualInitialize }) }],
    [
      'an id as text',
      { initialize: ({ id }) => ({ jsonrpc: '2.0', id: String(id), result: usualInitialize }) },
    ],
    ['null as cursor', result('tools/list', { tools: [usualTool], nextCursor: null })],
    ['an empty cursor', result('tools/list', { tools: [usualTool], nextCursor: '' })],
    ['false as cursor', result('tools/list', { tools: [usualTool], nextCursor: false })],
    [
      'null in the page',
      result('tools/list', { tools: [usualTool], _meta: null, ttlMs: null, cacheScope: null }),
    ],
    ['null beside tools', result('tools/list', { tools: [null, usualTool, null] })],
    ['a single tool', result('tools/list', { tools: usualTool })],
    ['tools without a page', result('tools/list', [usualTool])],
    ['no schema', tool({ inputSchema: undefined })],
    ['null as schema', tool({ inputSchema: null })],
    ['an empty schema', tool({ inputSchema: {} })],
    ['a list as schema', tool({ inputSchema: [] })],
    ['null in the schema', tool({ inputSchema: { type: 'object', properties: null, required: null } })],
    ['a list as properties', tool({ inputSchema: { type: 'object', properties: [] } })],
    [
      'null as annotations',
      tool({ annotations: null, title: null, description: null, outputSchema: null, _meta: null }),
    ],
    [
      'null beside the result of a call',
      result('tools/call', { content: [{ type: 'text', text: 'done' }] }, { error: null }),
    ],
    ['content as text', result('tools/call', { content: 'done' })],
    ['a single block', result('tools/call', { content: { type: 'text', text: 'done' } })],
    ['a list of texts', result('tools/call', { content: ['done'] })],
    [
      'null among blocks',
      result('tools/call', { content: [null, { type: 'text', text: 'done', annotations: null }] }),
    ],
    ['a block without type', result('tools/call', { content: [{ text: 'done' }] })],
    ['a result that is a text', result('tools/call', 'done')],
    ['a result that is a list', result('tools/call', [{ type: 'text', text: 'done' }])],
    [
      'null as structured content',
      result('tools/call', { content: 'done', structuredContent: null, isError: null }),
    ],
  ])('%s', async (_, methods) => {
    expect(await use(methods)).toMatchObject({ status: 'done', text: 'done' })
  })

  it.each<[string, unknown, string]>([
    ['no content', { structuredContent: { a: null } }, '{\n  "a": null\n}'],
    ['null as content', { content: null, structuredContent: { a: 1 } }, '{\n  "a": 1\n}'],
    ['an object as text', { content: [{ type: 'text', text: { a: null } }] }, '{"a":null}'],
    ['a number as text', { content: [{ type: 'text', text: 7 }] }, '7'],
    ['nothing', {}, 'The tool returned no result.'],
    ['null as result', null, 'The tool returned no result.'],
    ['null as text', { content: [{ type: 'text', text: null }] }, 'The tool returned no result.'],
  ])('%s', async (_, value, text) => {
    expect(await use(result('tools/call', value))).toMatchObject({ status: 'done', text })
  })

  it.each([[true], ['true'], ['True']])('an error that says so with %j', async (isError) => {
    const outcome = await use(result('tools/call', { content: 'no', isError }))
    expect(outcome).toMatchObject({ status: 'tool_error', text: 'no' })
  })

  it.each<[string, object]>([
    ['null beside the error', { result: null, error: { code: 1, message: 'No luck', data: null } }],
    ['a text as error', { error: 'No luck' }],
    ['a text as code', { error: { code: '-32000', message: 'No luck' } }],
    ['no code', { error: { message: 'No luck' } }],
    ['null as id', { id: null, error: { code: 1, message: 'No luck' } }],
  ])('an error with %s', async (_, answer) => {
    const outcome = await use({ 'tools/call': ({ id }) => ({ jsonrpc: '2.0', id, ...answer }) })
    expect(outcome.text).toContain('“No luck”')
  })

  it.each<[string, readonly unknown[], number]>([
    ['repeated at once', ['a', 'a'], 2],
    ['repeated in turns', ['a', 'b', 'a'], 3],
    ['empty in the end', ['a', 'b', ''], 3],
    ['a number', [2, 3, null], 3],
  ])('cursors that are %s', async (_, cursors, pages) => {
    let page = 0
    const { lists } = await use({
      'tools/list': ({ id }) => {
        const nextCursor = cursors[page++]
        return { jsonrpc: '2.0', id, result: { tools: page === 1 ? [usualTool] : [], nextCursor } }
      },
    })
    expect(lists).toBe(pages)
  })
})

it('says that a server has no tools when it does not announce them and does not list them', async () => {
  const methods = {
    ...initialize({ capabilities: {} }),
    'tools/list': ({ id }: { id: unknown }) => ({
      jsonrpc: '2.0',
      id,
      error: { code: -32_601, message: 'Unknown' },
    }),
  }
  await expect(use(methods)).rejects.toMatchObject({ message: 'The server offers no tools.' })
})

it('keeps null where it means something', () => {
  const schema = { type: 'object', properties: { a: { enum: ['x', null], default: null } } }
  const read = (message: object, method: string) =>
    readMessage({
      data: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      secrets: [],
      methods: new Map([['1', method]]),
      url: 'https://a.example',
      limits: connectorLimits,
    })
  const { page } = read({ result: { tools: [{ ...usualTool, inputSchema: schema }] } }, 'tools/list')
  expect(JSON.parse(page?.tools[0]?.definition ?? '')).toMatchObject({ inputSchema: schema })
  const elicitation = {
    method: 'elicitation/create',
    params: { requestedSchema: schema, message: 'm', _meta: null },
  }
  expect(JSON.parse(read(elicitation, 'tools/call').message)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    method: 'elicitation/create',
    params: { requestedSchema: schema, message: 'm' },
  })
})
