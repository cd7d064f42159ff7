import { describe, expect, it } from 'vitest'
import { assistantMessage, resultsMessage } from '../../testing/models/messages.ts'
import { readReply } from '../../testing/models/read-reply.ts'
import { userMessage, type ModelMessage, type ModelPart, type ModelTool } from '../model.ts'
import { createDemoModel } from './demo-model.ts'

const model = createDemoModel(0)

async function callDemo(
  messages: readonly ModelMessage[],
  tools: readonly ModelTool[] = [],
  maxTokens: number | null = null,
  instructions?: string,
) {
  const parts: ModelPart[] = []
  const signal = new AbortController().signal
  await readReply(
    model,
    { model: 'demo', messages, tools, maxTokens, ...(instructions !== undefined && { instructions }) },
    { signal, onParts: (some) => parts.push(...some) },
  )
  const join = (type: 'text' | 'reasoning') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('')
  return { text: join('text'), reasoning: join('reasoning'), parts, end: parts.at(-1) }
}

const user = userMessage

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
  it('explains that it is a demo and how to set up a real model, and repeats the message', async () => {
    const { text, parts, end } = await callDemo([user('Good morning, sunshine')])
    expect(text).toContain('Good morning, sunshine')
    expect(text).toContain('demo model')
    expect(text).toContain('DEFAULT_MODEL_BASE_URL')
    expect(parts[0]).toEqual({ type: 'model', model: 'demo' })
    expect(parts.at(-2)).toMatchObject({ type: 'usage' })
    expect(end).toEqual({ type: 'finish', reason: 'stop' })
  })

  it('receives the whole conversation', async () => {
    const { text } = await callDemo([user('First words'), assistantMessage('Hello'), user('Second words')])
    expect(text).toContain('First words')
    expect(text).toContain('Second words')
  })

  it.each([
    [['expression'], { expression: '2 + 3' }],
    [['a', 'b'], { a: 2, b: 3 }],
    [['operation', 'x', 'y'], { operation: 'add', x: 2, y: 3 }],
  ])('calls a calculator that takes %j', async (properties, values) => {
    const { parts, end } = await callDemo(
      [user('Use the calculator to add 2 and 3')],
      [calculator('tools__calculator', properties)],
    )
    const call = parts.find((part) => part.type === 'tool_call')
    expect(call).toMatchObject({ name: 'tools__calculator' })
    expect(JSON.parse(call?.arguments ?? '')).toEqual(values)
    expect(end).toEqual({ type: 'finish', reason: 'tool_calls' })
  })

  it.each([
    ['2 + 3', { operation: 'add', x: 2, y: 3 }],
    ['4 x 2.5', { operation: 'multiply', x: 4, y: 2.5 }],
    ['subtract 5-3', { operation: 'subtract', x: 5, y: 3 }],
    ['divide -8 by -2', { operation: 'divide', x: -8, y: -2 }],
    ['7, and then 2 + 3, add them', { operation: 'add', x: 2, y: 3 }],
  ])('reads the calculation of %j', async (request, values) => {
    const { parts } = await callDemo(
      [user(`Use the calculator: ${request}`)],
      [calculator('tools__calculator', ['operation', 'x', 'y'])],
    )
    const call = parts.find((part) => part.type === 'tool_call')
    expect(JSON.parse(call?.arguments ?? '')).toEqual(values)
  })

  // With a regular expression that backtracks, each of these blocks the process for longer than a test may take.
  it.each(['1'.repeat(100_000), 'add '.repeat(25_000), '1.'.repeat(50_000), ' \n'.repeat(50_000)])(
    'replies to a long message without blocking the process',
    async (text) => {
      expect((await callDemo([user(`${text}!`)])).end).toEqual({ type: 'finish', reason: 'stop' })
    },
  )

  it('repeats a result without its boundary lines, however long it is', async () => {
    const reply = async (content: string) =>
      (await callDemo([user('Hello'), resultsMessage({ callId: 'c1', name: 'clock', text: content })])).text
    expect(await reply('Result:\n[a-1]\nnoon\nor later\n[a-1]')).toContain('> noon\n> or later')
    expect(await reply('[a-1]\nnoon\n[a-1]')).toContain('> [a-1]\n> noon\n> [a-1]')
    expect(await reply('\n[a]\n'.repeat(20_000))).toContain('The tool answered')
  })

  it.each([
    // The text before the call has nine words.
    [9, 'tool_calls', 1],
    [8, 'length', 0],
  ])('with a limit of %i tokens ends with %s and %i tool calls', async (maxTokens, reason, callCount) => {
    const { parts, end } = await callDemo(
      [user('Use the calculator to add 2 and 3')],
      [calculator('tools__calculator', ['a', 'b'])],
      maxTokens,
    )
    expect(parts.filter((part) => part.type === 'tool_call')).toHaveLength(callCount)
    expect(end).toEqual({ type: 'finish', reason })
  })

  it('explains that it has no calculator when none is offered', async () => {
    const { text, parts } = await callDemo(
      [user('use the calculator to add 2 and 3')],
      [calculator('weather', [])],
    )
    expect(text).toContain('no calculator was offered')
    expect(parts.some((part) => part.type === 'tool_call')).toBe(false)
  })

  it('replies with the result of a tool, or that the tool was not allowed', async () => {
    const conversation: ModelMessage[] = [
      user('use the calculator to add 2 and 3'),
      assistantMessage('', [{ id: 'c1', name: 'calculator', arguments: '{}' }]),
    ]
    expect(
      (await callDemo([...conversation, resultsMessage({ callId: 'c1', name: 'calculator', text: '5' })]))
        .text,
    ).toContain('5')
    const denied = await callDemo([
      ...conversation,
      resultsMessage({ callId: 'c1', name: 'calculator', text: 'denied by the user' }),
    ])
    expect(denied.text).toContain('did not allow')
  })

  it('sends reasoning, an error, code, tables and maths on request', async () => {
    const thought = await callDemo([user('think first')])
    expect(thought.reasoning.length).toBeGreaterThan(100)
    expect((await callDemo([user('fail')])).end).toMatchObject({ type: 'failed', code: 'upstream_error' })
    expect((await callDemo([user('show me code')])).text).toContain('```typescript')
    expect((await callDemo([user('a table, please')])).text).toContain('| --- |')
    expect((await callDemo([user('some math')])).text).toContain('$$')
  })

  it('replies to the newest message when a failed one precedes it in the same turn', async () => {
    expect((await callDemo([user('fail\n\nshow me code')])).text).toContain('```typescript')
  })

  it('writes a long reply, and respects the limit of output tokens', async () => {
    expect((await callDemo([user('write a long answer')])).text.length).toBeGreaterThan(2000)
    const short = await callDemo([user('write a long answer')], [], 10)
    expect(short.text.length).toBeLessThan(200)
    expect(short.end).toEqual({ type: 'finish', reason: 'length' })
  })
})

describe('instructions', () => {
  it('are quoted after the reply, which is the same otherwise', async () => {
    const plain = await callDemo([user('Hello')])
    const instructed = await callDemo([user('Hello')], [], null, 'Always\nspeak like a *pirate*.')
    expect(instructed.text.startsWith(plain.text)).toBe(true)
    expect(instructed.text.slice(plain.text.length)).toContain('They begin: “Always speak like a pirate.”.')
    expect(plain.text).not.toContain('instructions')
  })

  it('do not change a call', async () => {
    const request = [
      [user('use the calculator to add 2 and 3')],
      [calculator('calculate', ['a', 'b'])],
    ] as const
    const [plain, instructed] = [await callDemo(...request), await callDemo(...request, null, 'Be brief.')]
    expect(instructed.text).toBe(plain.text)
    expect(instructed.end).toEqual({ type: 'finish', reason: 'tool_calls' })
  })
})
