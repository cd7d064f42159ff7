import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { assistantMessage, resultsMessage } from '../../testing/models/messages.ts'
import { openModelScene, type ModelScene } from '../../testing/models/open-model-scene.ts'
import { userMessage, type ModelMessage, type ModelRequest } from '../model.ts'

let scene: ModelScene

beforeAll(async () => {
  scene = await openModelScene()
})
afterEach(() => scene.closeServers())
afterAll(() => scene.close())

type Event = Readonly<Record<string, unknown>>

const written = (events: readonly Event[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`)
const completed = (output: readonly object[] = []): Event => ({
  type: 'response.completed',
  response: { object: 'response', status: 'completed', output },
})
const done = (item: Event, index: number): Event => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
})
const message = (...content: readonly object[]) => ({ type: 'message', id: 'msg_1', content })
const reasoning = (id: string) => ({
  type: 'reasoning',
  id,
  summary: [],
  encrypted_content: `sealed ${id}`,
  status: null,
})
const functionCall = (callId: string) => ({
  type: 'function_call',
  id: `fc_${callId}`,
  call_id: callId,
  name: 'look_up',
  arguments: '{"a":1}',
})

async function read(events: readonly Event[], request: Partial<ModelRequest> = {}) {
  const { url, seen } = await scene.serve(() => written(events))
  const answer = await scene.callModel('openai-responses', url, { request })
  const calls = answer.parts.filter((part) => part.type === 'tool_call')
  return { ...answer, calls, body: seen[0]?.body ?? {} }
}

const tools = [{ name: 'look_up', description: 'Looks up', inputSchema: { type: 'object' } }]

describe('requests to the Responses API', () => {
  it('store nothing, and send the conversation as items', async () => {
    const messages: ModelMessage[] = [
      userMessage('What is it?'),
      assistantMessage('I look.', [{ id: 'c1', name: 'look_up', arguments: '{}' }]),
      resultsMessage({ callId: 'c1', name: 'look_up', text: 'this' }),
    ]
    const { body } = await read([completed()], { model: 'gpt-5', maxTokens: 50, tools, messages })
    expect(body).toEqual({
      model: 'gpt-5',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { summary: 'auto' },
      max_output_tokens: 50,
      input: [
        { role: 'user', content: 'What is it?' },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'this' },
      ],
      tools: [
        {
          type: 'function',
          name: 'look_up',
          description: 'Looks up',
          parameters: { type: 'object' },
          strict: false,
        },
      ],
    })
  })

  it('do not ask a model without reasoning for any', async () => {
    const { body } = await read([completed()], { model: 'gpt-4o-mini' })
    expect(body).not.toHaveProperty('include')
    expect(body).not.toHaveProperty('reasoning')
  })

  it('leave out what the model does not support', async () => {
    const { url, seen } = await scene.serve(
      () => written([{ type: 'response.output_text.delta', delta: 'ok' }, completed()]),
      (body) => {
        if (body['include'] !== undefined) return 'Encrypted content is not supported with this model.'
        return body['reasoning'] === undefined
          ? undefined
          : "Unsupported parameter: 'reasoning.summary' is not supported with this model."
      },
    )
    expect((await scene.callModel('openai-responses', url)).text).toBe('ok')
    expect(seen).toHaveLength(3)
  })

  it('send the reasoning back before the call that it led to', async () => {
    const output = [
      reasoning('rs_1'),
      message({ type: 'output_text', text: 'I look.' }),
      functionCall('c1'),
      reasoning('rs_2'),
      functionCall('c2'),
    ]
    const events = written([...output.map(done), completed()])
    const { url, seen } = await scene.serve(() => events)
    const { parts, text } = await scene.callModel('openai-responses', url, { request: { tools } })
    expect(text).toBe('I look.')
    const calls = parts.filter((part) => part.type === 'tool_call')
    // Stored calls are JSON.
    const toolCalls = JSON.parse(JSON.stringify(calls)) as typeof calls
    const results = calls.map(({ id, name }) => ({ callId: id, name, text: id }))
    const messages: ModelMessage[] = [
      userMessage('What is it?'),
      assistantMessage(text, toolCalls),
      resultsMessage(...results),
    ]
    await scene.callModel('openai-responses', url, { request: { tools, messages } })
    const sealed = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: `sealed ${id}` })
    expect(seen[1]?.body['input']).toMatchObject([
      { role: 'user' },
      sealed('rs_1'),
      { role: 'assistant', content: 'I look.' },
      { type: 'function_call', call_id: 'c1' },
      sealed('rs_2'),
      { type: 'function_call', call_id: 'c2' },
      { type: 'function_call_output', call_id: 'c1' },
      { type: 'function_call_output', call_id: 'c2' },
    ])
    expect(JSON.stringify(seen[1]?.body['input'])).not.toContain('"status"')
  })
})

describe('a response of the Responses API', () => {
  it('is read once when its items and its end repeat the text and the calls', async () => {
    const text = { type: 'output_text', text: 'Hello' }
    const output = [message(text), functionCall('c1')]
    const { text: received, calls } = await read([
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'Hel' },
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'lo' },
      { type: 'response.output_text.done', item_id: 'msg_1', text: 'Hello' },
      { type: 'response.output_item.added', item: { ...functionCall('c1'), arguments: '' } },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_c1', delta: '{"a"' },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_c1', delta: ':1}' },
      { type: 'response.output_item.done', item: functionCall('c1') },
      completed(output),
    ])
    expect(received).toBe('Hello')
    expect(calls).toMatchObject([{ id: 'c1', name: 'look_up', arguments: '{"a":1}' }])
    expect(calls).toHaveLength(1)
  })

  it('is read from a server that does not stream', async () => {
    const body = {
      object: 'response',
      model: 'm',
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Because.' }] },
        message({ type: 'output_text', text: 'Hello' }),
      ],
      usage: { input_tokens: 3, output_tokens: 4 },
    }
    const { url } = await scene.serve(() => [JSON.stringify(body)])
    const { parts } = await scene.callModel('openai-responses', url)
    expect(parts).toEqual([
      { type: 'model', model: 'm' },
      { type: 'reasoning', text: 'Because.' },
      { type: 'text', text: 'Hello' },
      { type: 'usage', input_tokens: 3, output_tokens: 4 },
      { type: 'finish', reason: 'stop' },
    ])
  })

  it('has a blank line between the sections of its reasoning', async () => {
    const section = (index: number, delta: string): Event => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index: index,
      delta,
    })
    const events = [section(0, 'First'), section(0, ' one.'), section(1, 'Second.'), completed()]
    expect((await read(events)).reasoning).toBe('First one.\n\nSecond.')
  })

  it('shows a refusal as its text', async () => {
    const events = [{ type: 'response.refusal.delta', output_index: 0, delta: 'I cannot.' }, completed()]
    expect((await read(events)).text).toBe('I cannot.')
  })

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['something new', 'other'],
  ])('that is incomplete because of %s finishes with %s', async (reason, finish) => {
    const response = { status: 'incomplete', incomplete_details: { reason } }
    const { end } = await read([
      { type: 'response.output_text.delta', delta: 'half' },
      { type: 'response.incomplete', response },
    ])
    expect(end).toMatchObject({ type: 'finish', reason: finish })
  })

  it('fails when it ends with an error, and names a prompt that is too long', async () => {
    const failed = (code: string, text: string): Event => ({
      type: 'response.failed',
      response: { status: 'failed', error: { code, message: text } },
    })
    expect((await read([failed('server_error', 'It broke.')])).end).toMatchObject({
      code: 'upstream_error',
      message: expect.stringContaining('It broke.') as string,
    })
    expect((await read([failed('rate_limit_exceeded', 'Slow down.')])).end).toMatchObject({
      code: 'upstream_rate_limited',
    })
    const error = { type: 'error', code: 'context_length_exceeded', message: 'Too long.' }
    expect((await read([error])).end).toMatchObject({ code: 'context_exceeded' })
  })

  it('runs no call that the length limit has cut', async () => {
    const cut = { ...functionCall('c1'), arguments: '{"a":', status: 'incomplete' }
    const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    const { end, calls } = await read([done(cut, 0), { type: 'response.incomplete', response }])
    expect(end).toMatchObject({ code: 'output_limit' })
    expect(calls).toEqual([])
  })

  it('runs none of ten thousand calls', async () => {
    const events = Array.from({ length: 10_000 }, (_, index) => done(functionCall(`c${index}`), index))
    const { end, calls } = await read([...events, completed()])
    expect(end).toMatchObject({ code: 'output_limit' })
    expect(calls).toEqual([])
  })

  it('fails when the address is one of chat completions', async () => {
    const { url } = await scene.serve(() => ['{"object":"chat.completion","choices":[]}'])
    expect((await scene.callModel('openai-responses', url)).end).toMatchObject({ code: 'upstream_invalid' })
  })
})
