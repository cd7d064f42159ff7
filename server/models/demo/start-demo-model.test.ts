import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import type { ModelMessage, ModelPart, ModelTool } from '../model.ts'
import { readReply } from '../../testing/models/read-reply.ts'
import { openModel } from '../open-model.ts'
import { startDemoModel } from './start-demo-model.ts'
import type { DemoModel } from './start-demo-model.ts'

let demo: DemoModel
let guard: GuardedFetch

beforeAll(async () => {
  demo = await startDemoModel({ paceMs: 0 })
  guard = guardedFetch({
    policy: { trust: 'operatorSupplied', allowedPrivateHosts: [], loopbackInstallation: true, ownPorts: [] },
    maxRedirects: 0,
  })
})
afterAll(async () => {
  await guard.close()
  await demo.close()
})

async function ask(
  messages: readonly ModelMessage[],
  tools: readonly ModelTool[] = [],
  maxTokens: number | null = null,
) {
  const parts: ModelPart[] = []
  const model = openModel(
    {
      apiType: 'openai',
      baseUrl: demo.baseUrl,
      apiKey: null,
      customApiPath: null,
      trusted: 'operatorSupplied',
    },
    { guards: { operatorSupplied: guard, userSupplied: guard } },
  )
  const signal = new AbortController().signal
  await readReply(
    model,
    { model: 'demo', messages, tools, maxTokens },
    { signal, onParts: (some) => parts.push(...some) },
  )
  const join = (type: 'text' | 'reasoning') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('')
  return { text: join('text'), reasoning: join('reasoning'), parts, end: parts.at(-1) }
}

const say = (content: string): ModelMessage => ({ role: 'user', content })

function calculator(name: string, properties: readonly string[]): ModelTool {
  return {
    name,
    description: 'Calculates',
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties.map((property) => [property, {}])),
    },
  }
}

describe('the demo model', () => {
  it('says that it is a demo, repeats the message and explains how to set up a real model', async () => {
    const { text, parts, end } = await ask([say('Good morning, sunshine')])
    expect(text).toContain('Good morning, sunshine')
    expect(text).toContain('demo model')
    expect(text).toContain('DEFAULT_MODEL_BASE_URL')
    expect(parts[0]).toEqual({ type: 'model', model: 'demo' })
    expect(parts.at(-2)).toMatchObject({ type: 'usage' })
    expect(end).toEqual({ type: 'finish', reason: 'stop' })
  })

  it('receives the whole conversation', async () => {
    const { text } = await ask([
      say('First words'),
      { role: 'assistant', content: 'Hello' },
      say('Second words'),
    ])
    expect(text).toContain('First words')
    expect(text).toContain('Second words')
  })

  it.each([
    [['expression'], { expression: '2 + 3' }],
    [['a', 'b'], { a: 2, b: 3 }],
    [['operation', 'x', 'y'], { operation: 'add', x: 2, y: 3 }],
  ])('calls a calculator that takes %j', async (properties, values) => {
    const { parts, end } = await ask(
      [say('Use the calculator to add 2 and 3')],
      [calculator('tools__calculator', properties)],
    )
    const call = parts.find((part) => part.type === 'tool_call')
    expect(call).toMatchObject({ name: 'tools__calculator' })
    expect(JSON.parse(call?.arguments ?? '')).toEqual(values)
    expect(end).toEqual({ type: 'finish', reason: 'tool_calls' })
  })

  it('says so when it has no such tool', async () => {
    const { text, parts } = await ask([say('use the calculator to add 2 and 3')], [calculator('weather', [])])
    expect(text).toContain('no calculator was offered')
    expect(parts.some((part) => part.type === 'tool_call')).toBe(false)
  })

  it('replies with a tool result, or says that the tool was not allowed', async () => {
    const asked: ModelMessage[] = [
      say('use the calculator to add 2 and 3'),
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'calculator', arguments: '{}' }] },
    ]
    expect(
      (await ask([...asked, { role: 'tool', callId: 'c1', name: 'calculator', content: '5' }])).text,
    ).toContain('5')
    const denied = await ask([
      ...asked,
      { role: 'tool', callId: 'c1', name: 'calculator', content: 'denied by the user' },
    ])
    expect(denied.text).toContain('did not allow')
  })

  it('thinks first, fails, and shows code, tables and maths on request', async () => {
    const thought = await ask([say('think first')])
    expect(thought.reasoning.length).toBeGreaterThan(100)
    expect((await ask([say('fail')])).end).toMatchObject({ type: 'failed', code: 'upstream_error' })
    expect((await ask([say('show me code')])).text).toContain('```typescript')
    expect((await ask([say('a table, please')])).text).toContain('| --- |')
    expect((await ask([say('some math')])).text).toContain('$$')
  })

  it('obeys the newest message when a failed one precedes it in the same turn', async () => {
    expect((await ask([say('fail\n\nshow me code')])).text).toContain('```typescript')
  })

  it('writes a long answer and keeps to a length limit', async () => {
    expect((await ask([say('write a long answer')])).text.length).toBeGreaterThan(2000)
    const short = await ask([say('write a long answer')], [], 10)
    expect(short.text.length).toBeLessThan(200)
    expect(short.end).toEqual({ type: 'finish', reason: 'length' })
  })

  it('returns a complete response without streaming, and refuses an invalid request', async () => {
    const post = (body: string, path = '/chat/completions') =>
      fetch(demo.baseUrl + path, { method: 'POST', body })
    const whole = await post(JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hi' }] }))
    expect(await whole.json()).toMatchObject({
      choices: [{ message: { role: 'assistant' }, finish_reason: 'stop' }],
    })
    for (const body of ['', 'null', '[]', '{}', '{"messages":[]}', '{"messages":"x"}'])
      expect((await post(body)).status).toBe(400)
    expect((await post('{}', '/embeddings')).status).toBe(404)
  })
})
