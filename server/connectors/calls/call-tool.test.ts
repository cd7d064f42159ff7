import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Elicitation } from '@yonder/contract/elicitation'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTarget } from '../../testing/mcp/find-target.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import {
  startEverything,
  startFilesystem,
  startMemory,
  type McpProcess,
} from '../../testing/mcp/start-mcp-process.ts'
import { listModelTools } from '../tools/list-model-tools.ts'
import { listTools } from '../tools/tool-store.ts'
import { callTool, type ToolCallRequest } from './call-tool.ts'

let connectors: TestConnectors
const ada = { id: 'ada' }
const folder = mkdtempSync(join(tmpdir(), 'yonder-tools-'))
const servers: McpProcess[] = []

beforeAll(async () => {
  connectors = await openTestConnectors()
  await connectors.addUser('ada')
})

afterAll(async () => {
  await connectors.close()
  await Promise.all(servers.map((server) => server.close()))
  rmSync(folder, { recursive: true, force: true })
})

async function startAndConnect(name: string, starting: Promise<McpProcess>): Promise<McpProcess> {
  const server = await starting
  servers.push(server)
  await connectors.connect('ada', { name, url: server.url })
  return server
}

async function call(
  connectorName: string,
  toolName: string,
  args: unknown,
  rest: Partial<ToolCallRequest> = {},
) {
  return callTool(connectors, {
    user: ada,
    ...(await findTarget(connectors, ada, connectorName, toolName)),
    arguments: args,
    approval: 'once',
    signal: new AbortController().signal,
    ...rest,
  })
}

const records = (connector: string) =>
  connectors.database.db.selectFrom('tool_calls').selectAll().where('connector', '=', connector).execute()

describe('the built-in default connector', () => {
  beforeAll(async () => {
    await listModelTools(connectors, {
      user: ada,
      apiType: 'openai',
      signal: new AbortController().signal,
      onStatus: () => undefined,
    })
  })

  it('calculates over MCP and records the call', async () => {
    const outcome = await call('default', 'calculate', '{"expression":"(2 + 3) * 4"}')
    expect(outcome).toMatchObject({ status: 'done', text: '20', parts: [{ type: 'text', text: '20' }] })
    expect(await records('default')).toMatchObject([
      { tool: 'calculate', approval: 'once', outcome: 'done', bytes: outcome.bytes, user_id: 'ada' },
    ])
  })

  it('returns the result even when its record cannot be completed', async () => {
    const { db } = connectors.database
    await sql`create trigger refuse_endings before update on tool_calls begin select raise(abort, 'no room'); end`.execute(
      db,
    )
    const outcome = await call('default', 'calculate', { expression: '20 + 1' })
    await sql`drop trigger refuse_endings`.execute(db)
    expect(outcome).toMatchObject({ status: 'done', text: '21' })
    expect((await records('default')).at(-1)).toMatchObject({ outcome: 'started' })
    expect(connectors.errors.splice(0).map(String)).toEqual([expect.stringContaining('no room')])
  })

  it('returns a tool error when the tool fails', async () => {
    const outcome = await call('default', 'calculate', { expression: '1 / 0' })
    expect(outcome).toMatchObject({ status: 'tool_error', text: expect.stringContaining('zero') as string })
  })

  it('returns the time in a time zone', async () => {
    const outcome = await call('default', 'get_time', { time_zone: 'Europe/Vienna' })
    expect(outcome.text).toMatch(/^\w+day, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(Europe\/Vienna, UTC\+0[12]:00\)$/)
    expect((await call('default', 'get_time', { time_zone: 'Nowhere' })).status).toBe('tool_error')
  })

  it.each([
    ['an unknown connector', 'nothing', 'x', {}],
    ['an unknown tool', 'default', 'nothing', {}],
    ['arguments that are no object', 'default', 'calculate', '[1]'],
    ['arguments that are no JSON', 'default', 'calculate', '{"expression":'],
  ])('returns a failure for %s, and records no call', async (_, connectorName, toolName, args) => {
    const before = await connectors.database.db.selectFrom('tool_calls').selectAll().execute()
    const outcome = await call(connectorName, toolName, args)
    expect(outcome.status).toBe('failed')
    expect(outcome.text).not.toBe('')
    expect(await connectors.database.db.selectFrom('tool_calls').selectAll().execute()).toEqual(before)
  })

  it('does not call a tool that differs from the approved one', async () => {
    const outcome = await call('default', 'calculate', { expression: '1' }, { fingerprint: 'another' })
    expect(outcome).toMatchObject({ status: 'failed', text: expect.stringContaining('changed') as string })
  })
})

describe('server-everything, which uses an older protocol revision', () => {
  let server: McpProcess

  beforeAll(async () => {
    server = await startAndConnect('everything', startEverything())
  })

  it('lists its tools', async () => {
    const tools = await listTools(connectors.database.db, [
      (
        await connectors.database.db
          .selectFrom('connectors')
          .select('id')
          .where('name', '=', 'everything')
          .executeTakeFirstOrThrow()
      ).id,
    ])
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']),
    )
    expect(tools.filter(({ problem }) => problem !== null)).toEqual([])
  })

  it('returns text', async () => {
    expect(await call('everything', 'echo', { message: 'hello' })).toMatchObject({
      status: 'done',
      text: 'Echo: hello',
    })
  })

  it('returns an image', async () => {
    const { parts, text } = await call('everything', 'get-tiny-image', {})
    expect(parts).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }))
    expect(text).toContain('is shown to the user')
    expect(text).not.toContain('iVBOR')
  })

  it('returns a structured result', async () => {
    const { parts, status } = await call('everything', 'get-structured-content', { location: 'New York' })
    expect(status).toBe('done')
    expect(parts.some(({ type }) => type === 'text' || type === 'json')).toBe(true)
  })

  it('returns links and resources', async () => {
    const { parts } = await call('everything', 'get-resource-links', { count: 2 })
    expect(parts.filter(({ type }) => type === 'link')).toHaveLength(2)
  })

  it('reports its progress', async () => {
    const seen: number[] = []
    const outcome = await call(
      'everything',
      'trigger-long-running-operation',
      { duration: 1, steps: 4 },
      { onProgress: ({ progress }) => seen.push(progress) },
    )
    expect(outcome.status).toBe('done')
    expect(seen.length).toBeGreaterThanOrEqual(3)
  })

  it('is stopped by the user', async () => {
    const controller = new AbortController()
    const running = call(
      'everything',
      'trigger-long-running-operation',
      { duration: 30, steps: 60 },
      { signal: controller.signal, onProgress: () => controller.abort() },
    )
    expect((await running).status).toBe('stopped')
    expect((await records('everything')).at(-1)?.outcome).toBe('stopped')
  })

  it('gets the input that it requests from the user during a call', async () => {
    const elicitations: Elicitation[] = []
    const outcome = await call(
      'everything',
      'trigger-elicitation-request',
      {},
      {
        onElicit: (elicitation) => {
          elicitations.push(elicitation)
          const content = Object.fromEntries(
            elicitation.fields.flatMap((field): [string, string | number | boolean | string[]][] => {
              if (field.kind === 'text')
                return [
                  [
                    field.name,
                    field.format === 'email'
                      ? 'a@b.example'
                      : field.format === 'date'
                        ? '2026-01-01'
                        : field.format === 'uri'
                          ? 'https://x.example'
                          : 'Ada',
                  ],
                ]
              if (field.kind === 'number') return [[field.name, field.minimum ?? 1]]
              if (field.kind === 'switch') return [[field.name, true]]
              const [first] = field.options
              return first === undefined ? [] : [[field.name, field.many ? [first.value] : first.value]]
            }),
          )
          return Promise.resolve({ action: 'accept', content })
        },
      },
    )
    expect(elicitations).toHaveLength(1)
    expect(outcome.text).toContain('Ada')
  })

  it('gets a decline when the user cannot be asked', async () => {
    const outcome = await call('everything', 'trigger-elicitation-request', {})
    expect(outcome.text.toLowerCase()).toContain('decline')
  })

  it('is called over a new session when it has lost the old one', async () => {
    expect((await call('everything', 'echo', { message: '1' })).status).toBe('done')
    await server.restart()
    expect(await call('everything', 'echo', { message: '2' })).toMatchObject({
      status: 'done',
      text: 'Echo: 2',
    })
  })

  it('runs several calls at once, each with its own result', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, index) => call('everything', 'echo', { message: String(index) })),
    )
    expect(outcomes.map(({ text }) => text)).toEqual(outcomes.map((_, index) => `Echo: ${index}`))
  })
})

describe('server-everything over HTTP+SSE', () => {
  it('is connected, listed and called', async () => {
    await startAndConnect('old', startEverything('sse'))
    expect(await call('old', 'echo', { message: 'hi' })).toMatchObject({ status: 'done', text: 'Echo: hi' })
  })
})

describe('server-memory behind a proxy, which uses the newest protocol revision', () => {
  it('stores what it receives', async () => {
    await startAndConnect('memory', startMemory(join(folder, 'memory.jsonl')))
    const made = await call('memory', 'create_entities', {
      entities: [{ name: 'Yonder', entityType: 'product', observations: ['is calm'] }],
    })
    expect(made.status).toBe('done')
    const found = await call('memory', 'search_nodes', { query: 'Yonder' })
    expect(found.text).toContain('is calm')
  })
})

describe('server-filesystem', () => {
  it('reads and writes only in its folder', async () => {
    writeFileSync(join(folder, 'note.txt'), 'a note')
    await startAndConnect('files', startFilesystem(folder))
    const read = await call('files', 'read_text_file', { path: join(folder, 'note.txt') })
    expect(read).toMatchObject({ status: 'done', text: expect.stringContaining('a note') as string })
    const path = join(folder, 'new.txt')
    expect((await call('files', 'write_file', { path, content: 'written' })).status).toBe('done')
    expect(readFileSync(path, 'utf8')).toBe('written')
    expect((await call('files', 'read_text_file', { path: '/etc/passwd' })).status).toBe('tool_error')
  })
})
