import { afterAll, describe, expect, it } from 'vitest'
import { connectorLimits } from '../connector-limits.ts'
import { LargeMessageReader } from './large-message-reader.ts'

const reader = new LargeMessageReader()
afterAll(() => reader.close())

const methods = new Map([
  ['1', 'tools/list'],
  ['2', 'tools/call'],
])
const read = (message: unknown) =>
  reader.read('ada', {
    data: typeof message === 'string' ? message : JSON.stringify(message),
    secrets: [],
    methods,
    url: 'https://tools.example/mcp',
    limits: connectorLimits,
  })

describe('the thread that reads large messages', () => {
  it('reads a result and leaves an empty one for the SDK', async () => {
    const result = { content: [{ type: 'text', text: 'x'.repeat(200_000) }], isError: true }
    const outcome = await read({ jsonrpc: '2.0', id: 2, result })
    expect(outcome).toMatchObject({ answered: ['2'], result: { isError: true } })
    expect(outcome.message).toBe('{"jsonrpc":"2.0","id":2,"result":{"content":[]}}')
    expect(outcome.result?.text).toContain('100,000 more characters were omitted')
  })

  it.each([
    ['base64', 'a'],
    ['escapes, brackets and quotes', String.raw`[\"{,`],
    ['signs that take two bytes in memory', 'ā'],
  ])('reads a file in a result, of %s', async (_, piece) => {
    const end = 1_000
    const keys = Array.from({ length: 240_000 }, (__, index) => `"k${index}":0`)
    const blob = piece.repeat((16_000_000 - 240_000 * 12) / Buffer.byteLength(piece))
    const content = `[{"type":"text","text":"Before"},{"type":"resource","resource":{"uri":"a","text":"${blob}"}}]`
    const json = `{"jsonrpc":"2.0","id":2,"result":{"content":${content},"structuredContent":{${keys.join()}}}}`
    const outcome = await reader.read('ada', {
      data: new TextEncoder().encode(json),
      secrets: ['a-secret-of-the-request'],
      methods,
      url: '',
      limits: connectorLimits,
    })
    const [before, file, structured] = outcome.result?.parts ?? []
    expect(before).toEqual({ type: 'text', text: 'Before' })
    expect(file).toMatchObject({
      text: expect.stringContaining(JSON.parse(`"${piece.repeat(end)}"`) as string),
    })
    expect(structured?.type).toBe('json')
  })

  it('reads a page of tools, with its cursor', async () => {
    const tools = Array.from({ length: 300 }, (_, index) => ({
      name: `t${index}`,
      inputSchema: { type: 'object' },
    }))
    const outcome = await read({ jsonrpc: '2.0', id: 1, result: { tools, nextCursor: 'next' } })
    expect(outcome.page?.count).toBe(300)
    expect(outcome.page?.tools).toHaveLength(200)
    expect(JSON.parse(outcome.message)).toMatchObject({ result: { nextCursor: 'next', tools: [] } })
  })

  it('keeps numbers as they were written, in a result, a schema and a cursor', async () => {
    const big = '1234567890123456789'
    const filler = JSON.stringify('x'.repeat(40_000))
    const result = `{"content":[],"structuredContent":{"filler":${filler},"id":${big},"far":1e400}}`
    const { result: read2 } = await read(`{"jsonrpc":"2.0","id":2,"result":${result}}`)
    expect(read2?.text).toMatch(/"id": 1234567890123456789,\n {2}"far": 1e400\n/)
    const listOf = (maximum: string) =>
      `{"jsonrpc":"2.0","id":1,"result":{"nextCursor":${big},"tools":[{"name":"t","description":${filler},` +
      `"inputSchema":{"type":"object","properties":{"a":{"maximum":${maximum}}}}}]}}`
    const pages = [await read(listOf(big)), await read(listOf('1234567890123456788'))]
    expect(pages[0]?.page?.tools[0]?.definition).toContain(`"maximum":${big}`)
    expect(pages[0]?.message).toContain(`"nextCursor":"${big}"`)
    const prints = pages.map(({ page }) => page?.tools[0]?.fingerprint)
    expect(prints[0]).not.toBe(prints[1])
  })

  it.each(['text', 'bytes'] as const)('removes the secret of the request from %s', async (form) => {
    const secret = 'a-secret-of-the-request'
    const text = `${secret} ${secret.replace('-', String.raw`\u002d`)} ${'x'.repeat(50_000)}`
    const json = JSON.stringify({ jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text }] } })
    const data = form === 'text' ? json : new TextEncoder().encode(json)
    const outcome = await reader.read('ada', {
      data,
      secrets: [secret],
      methods,
      url: '',
      limits: connectorLimits,
    })
    expect(outcome.result?.text.slice(0, 5)).toBe('… … x')
    if (typeof data !== 'string') expect(data.length, 'moved to the thread').toBe(0)
  })

  it('shortens an error, ignores a notification, and refuses a request', async () => {
    const error = { code: -32_000, message: 'y'.repeat(50_000), data: 'z'.repeat(50_000) }
    const shortened = await read({ jsonrpc: '2.0', id: 2, error })
    expect(JSON.parse(shortened.message)).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32_000, message: 'y'.repeat(2_000), data: `"${'z'.repeat(1_999)}` },
    })
    const text = 'z'.repeat(50_000)
    const notification = { jsonrpc: '2.0', method: 'notifications/message', params: { text } }
    expect(await read(notification)).toEqual({ message: '', answered: [] })
    const request = { jsonrpc: '2.0', id: 9, method: 'elicitation/create', params: { text } }
    expect((await read(request)).refusal).toBe('too_large')
  })

  it('removes the instructions of a server, and refuses a description that is still too large', async () => {
    const result = { protocolVersion: '2025-11-25', capabilities: {}, instructions: 'i'.repeat(100_000) }
    const shortened = await read({ jsonrpc: '2.0', id: 0, result })
    expect(shortened).toMatchObject({
      answered: ['0'],
      message: expect.not.stringContaining('iii') as string,
    })
    expect(shortened.refusal).toBeUndefined()
    const serverInfo = { name: 'n'.repeat(100_000) }
    const outcome = await read({ jsonrpc: '2.0', id: 0, result: { ...result, serverInfo } })
    expect(outcome.refusal).toBe('too_large')
  })

  it.each(['{"a":', '[', '"'])('refuses what is no message: %s', async (start) => {
    expect((await read(start + ' '.repeat(50_000))).refusal).toBe('invalid')
  })

  it('reads on after a message that needs more memory than it may have', async () => {
    expect((await read(`{"a":[${'{},'.repeat(4_000_000)}0]}`)).refusal).toBe('too_large')
    // The longest messages that are parsed.
    expect(await read(`{"a":[${'{},'.repeat(2_200_000)}0]}`)).toEqual({ message: '', answered: [] })
    expect((await read(`${'['.repeat(3_300_000)}${']'.repeat(3_300_000)}`)).refusal).toBe('invalid')
    // As far as they are no files.
    const values = `[{"k":0},`.repeat(90_000)
    expect((await read(`[${values}"${'x'.repeat(14_000_000)}"`)).refusal).toBe('too_large')
    expect((await read(`7${' '.repeat(50_000)}`)).refusal).toBe('invalid')
  })
})
