import type { Elicitation } from '@yonder/contract/elicitation'
import { ExactNumber } from '@yonder/contract/lib/exact-json'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { startStatefulMcpServer, type StatefulMcpServer } from '../../testing/mcp/stateful-mcp-server.ts'
import { refreshTools } from '../tools/refresh-tools.ts'

const big = '1234567890123456789'
const number = (source: string) => new ExactNumber(source)
const elicitation = {
  message: 'Which?',
  requestedSchema: {
    type: 'object',
    properties: {
      id: { type: 'integer', default: number(big), maximum: number('9223372036854775807') },
      rate: { type: 'number' },
      word: { type: 'string' },
    },
  },
}
const answer = { id: big, rate: '0.1000000000000000055511151231257827', word: '1e400' }
const written = `{"id":${big},"rate":0.1000000000000000055511151231257827,"word":"1e400"}`

describe('the numbers of a form', () => {
  let connectors: TestConnectors
  let server: StatefulMcpServer
  let connector: ConnectorRow
  const shown: Elicitation[] = []

  beforeAll(async () => {
    server = await startStatefulMcpServer()
    connectors = await openTestConnectors()
    await connectors.addUser('ada')
  })
  beforeEach(() => {
    shown.length = 0
    server.seen.length = 0
  })
  afterAll(async () => {
    await connectors.close()
    await server.close()
  })

  const call = (content: Record<string, string | number> = answer) =>
    connectors.callTool({
      user: { id: 'ada' },
      connectorId: connector.id,
      connectorName: connector.name,
      toolName: 'remember',
      arguments: '{}',
      approval: 'once',
      signal: AbortSignal.timeout(30_000),
      onElicit: (form) => {
        shown.push(form)
        return Promise.resolve({ action: 'accept', content })
      },
    })
  const sent = () => server.seen.map(({ text }) => text).filter((text) => text.includes('"accept"'))

  it('are shown and sent as they are written to a server of an older revision', async () => {
    server.behaviour.call = (pending) => {
      pending.send({ id: 'form', method: 'elicitation/create', params: elicitation })
      void vi.waitFor(() => expect(sent()).toHaveLength(1)).then(() => pending.end('done'))
      return true
    }
    connector = await connectors.connect('ada', { name: 'older', url: server.url, allow_tools: null })
    expect(await call()).toMatchObject({ status: 'done', text: 'done' })
    const [id] = shown[0]?.fields ?? []
    expect(id).toMatchObject({ kind: 'number', value: big, maximum: '9223372036854775807' })
    expect(sent()[0]).toContain(`"content":${written}`)
  })

  it('are refused above the maximum of the form', async () => {
    server.behaviour.call = (pending) => {
      pending.send({ id: 'form', method: 'elicitation/create', params: elicitation })
      const answered = () => server.seen.some(({ text }) => text.includes('"cancel"'))
      void vi.waitFor(() => expect(answered()).toBe(true)).then(() => pending.end('done'))
      return true
    }
    expect((await call({ id: '9223372036854775808' })).status).toBe('done')
    expect(sent()).toEqual([])
  })

  it('are kept in the data of an error, which the model reads', async () => {
    server.behaviour.call = (pending) => {
      pending.send({
        id: pending.message.id,
        error: { code: -32_000, message: 'No', data: { id: number(big) } },
      })
      pending.response.end()
      return true
    }
    expect((await call()).text).toContain(`Data: {"id":${big}}`)
  })

  it('are shown and sent as they are written to a server of the newest revision', async () => {
    server.behaviour.revision = '2026-07-28'
    server.behaviour.call = (pending) => {
      const { id } = pending.message
      if (sent().length > 0) return (pending.end('done'), true)
      const request = { method: 'elicitation/create', params: { mode: 'form', ...elicitation } }
      pending.send({ id, result: { resultType: 'input_required', inputRequests: { form: request } } })
      pending.response.end()
      return true
    }
    connector = await connectors.connect('ada', { name: 'newest', url: server.url, allow_tools: null })
    await refreshTools(connectors, connector)
    expect(await call()).toMatchObject({ status: 'done', text: 'done' })
    expect(shown[0]?.fields[0]).toMatchObject({ value: big })
    expect(sent()[0]).toContain(`"content":${written}`)
  })
})
