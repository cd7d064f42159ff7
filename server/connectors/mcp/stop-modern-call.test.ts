import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { findTarget } from '../../testing/mcp/find-target.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import {
  startStatefulMcpServer,
  type PendingCall,
  type StatefulMcpServer,
} from '../../testing/mcp/stateful-mcp-server.ts'
import { callTool, type ToolCallRequest } from '../calls/call-tool.ts'

const ada = { id: 'ada' }
const revision = '2026-07-28'

describe.each(engines)('a stopped call to a server of the revision 2026-07-28, on %s', (engine) => {
  let server: StatefulMcpServer
  let connectors: TestConnectors
  /** The calls that the server has received and not answered. */
  let pending: PendingCall[]

  beforeEach(async () => {
    server = await startStatefulMcpServer()
    server.behaviour.revision = revision
    connectors = await openTestConnectors({ engine })
    await connectors.addUser('ada')
    await connectors.connect('ada', { name: 'state', url: server.url, allow_tools: null })
    pending = []
    server.behaviour.call = (each) => pending.push(each) > 0
  })
  afterEach(async () => {
    await connectors.close()
    await server.close()
  })

  const call = async (chatId: string, rest: Partial<ToolCallRequest> = {}) =>
    callTool(connectors, {
      user: ada,
      ...(await findTarget(connectors, ada, 'state', 'remember')),
      arguments: {},
      approval: 'no_list',
      signal: new AbortController().signal,
      chatId,
      ...rest,
    })
  const methods = () => server.seen.map(({ message }) => message.method)

  it.each([
    ['before the server responds', false],
    ['while its response is a stream', true],
  ])('ends only its own response %s, without a notification', async (_, isStream) => {
    const other = call('b')
    await vi.waitFor(() => expect(pending).toHaveLength(1))
    const stop = new AbortController()
    const onProgress = vi.fn<NonNullable<ToolCallRequest['onProgress']>>()
    const stopped = call('a', { signal: stop.signal, onProgress })
    await vi.waitFor(() => expect(pending).toHaveLength(2))
    const [kept, ended] = pending as [PendingCall, PendingCall]
    const { progressToken, ...meta } = ended.message.params?.['_meta'] ?? {}
    expect(meta['io.modelcontextprotocol/protocolVersion']).toBe(revision)
    if (isStream) {
      ended.send({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
      await vi.waitFor(() => expect(onProgress).toHaveBeenCalled())
    }
    stop.abort()
    const outcome = await stopped
    expect(outcome.status).toBe('stopped')
    expect(outcome.text).toMatch(/^The call was stopped\. The outcome is unknown/)
    // The server has not ended the response, so the client has closed it.
    await vi.waitFor(() => expect(ended.response.destroyed).toBe(true))
    expect(ended.response.writableEnded).toBe(false)
    expect(kept.response.destroyed).toBe(false)

    const next = call('a')
    await vi.waitFor(() => expect(pending).toHaveLength(3))
    pending[2]?.end('next')
    expect(await next).toMatchObject({ status: 'done', text: 'next' })
    kept.end('kept')
    expect(await other).toMatchObject({ status: 'done', text: 'kept' })
    expect(methods()).not.toContain('notifications/cancelled')
    expect(methods()).not.toContain('initialize')
  })
})
