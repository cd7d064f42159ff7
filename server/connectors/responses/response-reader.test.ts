import type { Transport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { connectorLimits } from '../connector-limits.ts'
import type { ReceivedMessage } from './read-message.ts'
import { ResponseBudget } from './response-budget.ts'
import { ResponseReader } from './response-reader.ts'

const message = (id: number, fill = ''): string => JSON.stringify({ jsonrpc: '2.0', id, result: { fill } })

/** Returns what is left of a response, and the large messages that it had. */
async function read(
  body: string | ReadableStream,
  init: { type?: string; status?: number; headers?: Record<string, string> } = {},
) {
  const large: string[] = []
  const secrets: string[] = []
  const { type = 'text/event-stream', status = 200, headers = {} } = init
  const largeMessageReader = {
    read(_user: string, { data, secrets: sent }: ReceivedMessage) {
      secrets.push(...sent)
      large.push(typeof data === 'string' ? data : Buffer.from(data).toString())
      return Promise.resolve({ message: '{"jsonrpc":"2.0"}', answered: [] })
    },
  }
  const responseScheduler = { next: () => Promise.resolve() }
  const source = { userId: 'ada', url: '', limits: connectorLimits, largeMessageReader, responseScheduler }
  const budget = new ResponseBudget()
  budget.reset(connectorLimits.maxCallBytes)
  const send = new ResponseReader(source, budget).wrap(() =>
    Promise.resolve(new Response(body, { status, headers: { 'content-type': type } })),
  )
  const response = await send('https://tools.example', { headers })
  return { text: await response.text(), status: response.status, large, secrets }
}

describe('ResponseReader', () => {
  it.each(['\n', '\r', '\r\n'])('writes events anew, whatever the ends of their lines (%j)', async (end) => {
    const lines = [
      ': comment',
      'id: 7',
      `data: ${message(1)}`,
      '',
      '',
      'data:',
      '',
      'x: y',
      `data: ${message(2)}`,
    ]
    const { text, large } = await read(`${[...lines, '', ''].join(end)}\n\n`)
    expect(text).toBe(`id: 7\ndata: ${message(1)}\n\ndata: ${message(2)}\n\n`)
    expect(large).toEqual([])
  })

  it('keeps the number of the last event, the retry time and named events', async () => {
    const { text } = await read('retry: 5\n\nid: 1\ndata:\n\nevent: endpoint\ndata: /messages\n\n')
    expect(text).toBe('retry: 5\n\nid: 1\ndata: \n\nevent: endpoint\ndata: /messages\n\n')
  })

  it('drops events that are no messages', async () => {
    expect((await read('data: {}\n\ndata: x\n\n')).text).toBe('')
  })

  it('has large events read elsewhere, in their order', async () => {
    const big = message(2, 'x'.repeat(40_000))
    const { text, large } = await read(`data: ${message(1)}\n\ndata: ${big}\n\ndata: ${message(3)}\n\n`)
    expect(large).toEqual([big])
    expect(text).toBe(`data: ${message(1)}\n\ndata: {"jsonrpc":"2.0"}\n\ndata: ${message(3)}\n\n`)
  })

  it('has a large JSON response read elsewhere, and a small one passed on', async () => {
    const type = 'application/json; charset=utf-8'
    const big = message(1, 'x'.repeat(40_000))
    expect(await read(big, { type })).toMatchObject({ text: '{"jsonrpc":"2.0"}', large: [big] })
    expect(await read(message(1), { type })).toMatchObject({ text: message(1), large: [] })
  })

  it.each<[string, Parameters<typeof read>[1]]>([
    ['an event', {}],
    ['a JSON response', { type: 'application/json' }],
    ['an error', { type: 'text/plain', status: 401 }],
  ])('removes the token of the request from %s', async (_, init) => {
    const headers = { authorization: 'Bearer sk-canary-0123456789' }
    const body = `data: ${message(1, 'the token sk-canary-0123456789 is wrong')}\n\n`
    const { text } = await read(body, { ...init, headers })
    expect(text).toContain('the token … is wrong')
    expect(text).not.toContain('canary')
    expect((await read(body, { ...init, headers: { authorization: 'Bearer the' } })).text).toContain(
      'the token',
    )
  })

  it.each(['text/event-stream', 'application/json'])(
    'passes the token of the request to the thread that removes it from a large message (%s)',
    async (type) => {
      const big = message(1, 'sk-canary-0123456789'.repeat(4_000))
      const headers = { authorization: 'Bearer sk-canary-0123456789' }
      const body = type === 'application/json' ? big : `data: ${big}\n\n`
      const { large, secrets, text } = await read(body, { type, headers })
      expect(large).toEqual([big])
      expect(secrets).toEqual(['sk-canary-0123456789'])
      expect(text).not.toContain('canary')
    },
  )

  it('reads only the start of an error', async () => {
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.from('x'.repeat(8_000))),
    })
    const { text, status, large } = await read(endless, {
      status: 400,
      type: 'application/json',
    })
    expect(status).toBe(400)
    expect(text.length).toBeLessThan(50_000)
    expect(large).toEqual([])
  })

  it.each([
    ['ends the only call', false],
    ['does not end a call after an aborted one', true],
  ])('on a common stream, an error without an id %s', async (_, isAborted) => {
    const responseScheduler = { next: () => Promise.resolve() }
    const largeMessageReader = { read: () => Promise.reject(new Error('not large')) }
    const source = { userId: 'ada', url: '', limits: connectorLimits, largeMessageReader, responseScheduler }
    const budget = new ResponseBudget()
    budget.reset(connectorLimits.maxCallBytes)
    const reader = new ResponseReader(source, budget)
    const late = 'data: {"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"late"}}\n\n'
    const send = reader.wrap(
      (_input, init) =>
        Promise.resolve(
          init?.method === 'POST'
            ? new Response(null, { status: 202 })
            : new Response(late, { headers: { 'content-type': 'text/event-stream' } }),
        ),
      'sse',
    )
    const transport: Transport = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: async (sent) => {
        const init = { method: 'POST', body: JSON.stringify(sent) }
        reader.noteSent(init)
        await send('https://tools.example', init)
      },
    }
    reader.watchRequests(transport)
    const call = (id: number) => transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params: {} })
    if (isAborted) {
      await call(1)
      const params = { requestId: 1 }
      await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }
    await call(2)
    const text = await (await send('https://tools.example')).text()
    expect(text.includes('"id":"2"')).toBe(!isAborted)
  })
})
