import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { collectGarbage } from '../../testing/collect-garbage.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import type { ToolCallRequest } from '../calls/call-tool.ts'
import { syncConnectors } from '../sync-connectors.ts'
import { refreshTools } from '../tools/refresh-tools.ts'

const user = { id: 'ada' }

describe('a server in this process', () => {
  let connectors: TestConnectors
  let local: ConnectorRow
  let sessions: string[]
  let cancelled: number
  let onWait: () => void
  let neverLists: boolean

  function createServer(): McpServer {
    const server = new McpServer({ name: 'local', version: '1' })
    server.registerTool('repeat', { inputSchema: z.object({ times: z.number() }) }, ({ times }) => ({
      content: [{ type: 'text', text: 'x'.repeat(times) }],
    }))
    server.registerTool('report', {}, async ({ mcpReq: { _meta: meta, notify } }) => {
      const progressToken = meta?.progressToken ?? 0
      const params = { progressToken, progress: 1, total: 2, message: 'half' }
      await notify({ method: 'notifications/progress', params })
      return { content: [{ type: 'text', text: 'reported' }] }
    })
    server.registerTool('wait', {}, ({ mcpReq }) => {
      mcpReq.signal.addEventListener('abort', () => cancelled++)
      onWait()
      return new Promise<never>(() => undefined)
    })
    server.registerTool('elicit', {}, ({ mcpReq: { inputResponses } }) => {
      if (inputResponses !== undefined) {
        return { content: [{ type: 'text', text: JSON.stringify(inputResponses) }] }
      }
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } }
      const name = inputRequired.elicit({ message: 'Your name?', requestedSchema })
      return inputRequired({ inputRequests: { name } })
    })
    if (neverLists) {
      server.server.setRequestHandler('tools/list', () => {
        void collectGarbage()
        return new Promise<never>(() => undefined)
      })
    }
    return server
  }

  beforeEach(async () => {
    sessions = []
    cancelled = 0
    onWait = () => undefined
    neverLists = false
    connectors = await openTestConnectors({
      limits: {
        maxCallBytes: 10_000,
        maxCallIdleMs: 300,
        listTimeoutMs: 100,
        listPageTimeoutMs: 600_000,
        maxElicitationMs: 50,
      },
      integrations: {
        connectors: [
          {
            name: 'Local',
            integration: 'local',
            url: 'builtin://local',
            slug: 'local',
            server: {
              kind: 'in_process',
              create({ userId }) {
                sessions.push(userId)
                return Promise.resolve(createServer())
              },
            },
          },
        ],
        recordFailure: () => Promise.resolve(),
        listStatuses: () => Promise.resolve(new Map([['local', { version: 1, isConnected: true }]])),
      },
    })
    await connectors.addUser(user.id)
    const own = await syncConnectors(connectors.database.db, user, connectors.builtIns, Date.now())
    local = own.find(({ name }) => name === 'Local')!
    await refreshTools(connectors, local)
  })
  afterEach(() => connectors.close())

  const call = (toolName: string, args: unknown, rest: Partial<ToolCallRequest> = {}) =>
    connectors.callTool({
      user,
      connectorId: local.id,
      connectorName: 'Local',
      toolName,
      arguments: args,
      approval: 'once',
      signal: new AbortController().signal,
      ...rest,
    })

  it('is created once for all requests of a session', async () => {
    expect(await call('repeat', { times: 2 })).toMatchObject({ status: 'done', text: 'xx' })
    // As over the network, such a server reads ordinary numbers.
    expect(await call('repeat', '{"times":3.0000000000000000001}')).toMatchObject({
      status: 'done',
      text: 'xxx',
    })
    expect(sessions).toEqual(['ada'])
    await connectors.closeIdle(user.id)
    await call('repeat', { times: 1 })
    expect(sessions).toEqual(['ada', 'ada'])
  })

  it('is cut off above the maximum result size, and serves the next call', async () => {
    const outcome = await call('repeat', { times: 20_000 })
    expect(outcome).toMatchObject({
      status: 'interrupted',
      text: expect.stringContaining('more than') as string,
    })
    expect(await call('repeat', { times: 1 })).toMatchObject({ status: 'done', text: 'x' })
  })

  it('reports progress', async () => {
    const reports: unknown[] = []
    await call('report', {}, { onProgress: (progress) => reports.push(progress) })
    expect(reports).toEqual([{ progress: 1, total: 2, message: 'half' }])
  })

  it('gets a cancellation when a call is stopped or times out', async () => {
    const controller = new AbortController()
    onWait = () => controller.abort()
    expect(await call('wait', {}, { signal: controller.signal })).toMatchObject({ status: 'stopped' })
    await expect.poll(() => cancelled).toBe(1)
    onWait = () => undefined
    expect(await call('wait', {})).toMatchObject({ status: 'timed_out' })
    await expect.poll(() => cancelled).toBe(2)
  })

  it('times out when it does not list its tools, even after garbage collection', async () => {
    await connectors.closeIdle(user.id)
    neverLists = true
    await expect(refreshTools(connectors, local)).rejects.toMatchObject({ code: 'upstream_timeout' })
  })

  it('cancels an elicitation that the user does not answer in time', async () => {
    const onElicit = () => new Promise<never>(() => undefined)
    expect(await call('elicit', {}, { onElicit })).toMatchObject({
      status: 'done',
      text: '{"name":{"action":"cancel"}}',
    })
  })
})
