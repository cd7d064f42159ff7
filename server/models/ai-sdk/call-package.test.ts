import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { assistantMessage, resultsMessage } from '../../testing/models/messages.ts'
import { openModelScene, type ModelScene } from '../../testing/models/open-model-scene.ts'
import { wireShapes } from '../../testing/models/wire-shapes.ts'
import { userMessage, type ModelMessage, type ModelRequest } from '../model.ts'

let scene: ModelScene

beforeAll(async () => {
  scene = await openModelScene()
})
afterEach(() => scene.closeServers())
afterAll(() => scene.close())

const ok = (apiType: 'anthropic' | 'google') => [
  wireShapes[apiType].start('m'),
  wireShapes[apiType].text('ok'),
  wireShapes[apiType].finish('stop', { input: 5, output: 7 }),
]

/** Calls a model and returns the body that was sent. */
async function sendTo(apiType: 'anthropic' | 'google', request: Partial<ModelRequest>) {
  const { url, seen } = await scene.serve(() => ok(apiType))
  const answer = await scene.callModel(apiType, url, { request })
  return { ...answer, bodies: seen.map(({ body }) => body) }
}

const mark = { type: 'ephemeral' }
const tools = ['first', 'last'].map((name) => ({ name, description: '', inputSchema: { type: 'object' } }))
const question = userMessage('What is it?')

describe('the prompt cache of Anthropic', () => {
  /** The texts and tools that carry a mark. */
  function marked(value: unknown): string[] {
    if (typeof value !== 'object' || value === null) return []
    if ('cache_control' in value) {
      expect(value.cache_control).toEqual(mark)
      const { name, text, content } = value as { name?: string; text?: string; content?: unknown }
      return [name ?? text ?? JSON.stringify(content)]
    }
    return Object.values(value).flatMap(marked)
  }

  it('marks the instructions and the end of the prompt, so that the next turn reads the first one', async () => {
    const instructions = 'Write in verse.'
    const first = await sendTo('anthropic', { instructions, tools, messages: [question] })
    expect(marked(first.bodies[0])).toEqual(['Write in verse.', 'What is it?'])
    const messages: ModelMessage[] = [question, assistantMessage('This.'), userMessage('Why?')]
    const second = await sendTo('anthropic', { instructions, tools, messages })
    expect(marked(second.bodies[0]).toSorted()).toEqual(['This.', 'Why?', 'Write in verse.'])
  })

  it('marks the last tool when there are no instructions, and the last result of the turn', async () => {
    const calls = ['c1', 'c2'].map((id) => ({ id, name: 'first', arguments: '{}' }))
    const results = calls.map(({ id }) => ({ callId: id, name: 'first', text: id }))
    const messages: ModelMessage[] = [question, assistantMessage('', calls), resultsMessage(...results)]
    const { bodies } = await sendTo('anthropic', { tools, messages })
    expect(marked(bodies[0]).toSorted()).toEqual(['"c2"', 'last'])
  })

  it('reports the tokens that it wrote and read as parts of the input', async () => {
    const counts = { input: 100, output: 5, cached: 20, cacheWrite: 70 }
    const { anthropic } = wireShapes
    const events = [anthropic.start('m'), anthropic.text('ok'), anthropic.finish('stop', counts)]
    const { url } = await scene.serve(() => events)
    expect((await scene.callModel('anthropic', url)).parts).toContainEqual({
      type: 'usage',
      input_tokens: 100,
      output_tokens: 5,
      cached_tokens: 20,
      cache_write_tokens: 70,
    })
  })

  it('is left out for a server that refuses the marks', async () => {
    let refusals = 0
    const { url, seen } = await scene.serve(
      () => ok('anthropic'),
      (body) =>
        JSON.stringify(body).includes('cache_control') && ++refusals > 0
          ? 'messages.0.content.0.cache_control: Extra inputs are not permitted'
          : undefined,
    )
    expect((await scene.callModel('anthropic', url)).text).toBe('ok')
    expect(refusals).toBe(1)
    expect(marked(seen.at(-1)?.body)).toEqual([])
  })
})

describe('the reasoning effort', () => {
  it.each([
    ['claude-3-7-sonnet-20250219', 'high', { type: 'enabled', budget_tokens: 24_576 }, undefined],
    ['claude-opus-4-20250514', 'minimal', { type: 'enabled', budget_tokens: 1024 }, undefined],
    ['claude-sonnet-4-5', 'medium', { type: 'enabled', budget_tokens: 12_288 }, undefined],
    ['deepseek-chat', 'low', { type: 'enabled', budget_tokens: 4096 }, undefined],
    ['claude-sonnet-4-6', 'high', { type: 'adaptive', display: 'summarized' }, { effort: 'high' }],
    ['anthropic/claude-opus-4.8', 'low', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    ['claude-opus-5', 'minimal', undefined, { effort: 'low' }],
  ] as const)('of %s at Anthropic is %s', async (model, reasoningEffort, thinking, effort) => {
    const { bodies } = await sendTo('anthropic', { model, maxTokens: 1000, options: { reasoningEffort } })
    const [body = {}] = bodies
    expect(body['thinking']).toEqual(thinking)
    expect(body['output_config']).toEqual(effort)
    const budget = thinking !== undefined && 'budget_tokens' in thinking ? thinking.budget_tokens : 0
    expect(body['max_tokens']).toBe(1000 + budget)
  })

  it.each([
    ['gemini-2.5-pro', { thinkingBudget: 8192, includeThoughts: true }],
    ['gemini-3-pro', { thinkingLevel: 'medium', includeThoughts: true }],
  ])('of %s at Google', async (model, thinkingConfig) => {
    const { bodies } = await sendTo('google', { model, options: { reasoningEffort: 'medium' } })
    expect(bodies[0]).toMatchObject({ generationConfig: { thinkingConfig } })
  })

  it('is omitted for the results of calls that were made without thinking', async () => {
    const call = { id: 'c1', name: 'first', arguments: '{}' }
    const messages: ModelMessage[] = [
      question,
      assistantMessage('', [call]),
      resultsMessage({ callId: 'c1', name: 'first', text: 'one' }),
    ]
    const options = { reasoningEffort: 'low' } as const
    const { bodies } = await sendTo('anthropic', { tools, messages, options })
    expect(bodies[0]?.['thinking']).toBeUndefined()
  })

  it.each([
    ['claude-sonnet-4-5', 'low', true, true],
    // The effort was removed while a call waited.
    ['claude-sonnet-4-5', undefined, false, false],
    ['claude-opus-4-8', undefined, false, true],
    ['kimi-k2', undefined, false, true],
  ] as const)(
    'of %s as %s, after calls with and then without thinking',
    async (model, reasoningEffort, thinks, returns) => {
      const shape = wireShapes.anthropic
      const { url, seen } = await scene.serve(() => [
        shape.start('m'),
        shape.signedCall('first', 'c2lnbmVk'),
        shape.finish('tool_calls', { input: 5, output: 7 }),
      ])
      const { parts } = await scene.callModel('anthropic', url, { request: { model, tools } })
      const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [part] : []))
      const result = { callId: 'c1', name: 'first', text: 'one' }
      const messages: ModelMessage[] = [
        question,
        assistantMessage('', calls),
        resultsMessage(result),
        assistantMessage('', [{ id: 'c2', name: 'first', arguments: '{}' }]),
        resultsMessage({ ...result, callId: 'c2' }),
      ]
      const options = reasoningEffort === undefined ? {} : { reasoningEffort }
      await scene.callModel('anthropic', url, { request: { model, tools, messages, options } })
      const body = seen.at(-1)?.body
      expect(body?.['thinking'] !== undefined).toBe(thinks)
      expect(JSON.stringify(body).includes('c2lnbmVk')).toBe(returns)
    },
  )
})

describe.each(['anthropic', 'google'] as const)('the text of a model behind the API type %s', (apiType) => {
  it.each([['<think>Hm.</think>\n\nYes'], ['Hm.\n</think>\n\nYes']])(
    'is told from thinking in %j',
    async (sent) => {
      const shape = wireShapes[apiType]
      const pieces = sent.split('').map((char) => shape.text(char))
      const { url } = await scene.serve(() => [
        shape.start('m'),
        ...(apiType === 'google' ? pieces : [shape.text(sent)]),
        shape.finish('stop', { input: 5, output: 7 }),
      ])
      const { parts } = await scene.callModel(apiType, url)
      const turned = parts.findIndex(({ type }) => type === 'text_was_reasoning')
      const shown = parts.slice(turned + 1).flatMap((part) => (part.type === 'text' ? [part.text] : []))
      expect(shown.join('')).toBe('Yes')
    },
  )
})

describe('an option that Anthropic would refuse', () => {
  it.each([
    ['claude-opus-5', { temperature: 0.5 }, 'temperature'],
    ['claude-opus-4-5', { temperature: 0.5, topP: 0.5 }, 'topP'],
    ['claude-opus-4-5', { temperature: 0.5, reasoningEffort: 'low' as const }, 'temperature'],
  ])('is not sent to %s with %j', async (model, options, option) => {
    const { parts, bodies } = await sendTo('anthropic', { model, options })
    expect(parts).toContainEqual({ type: 'option_omitted', option })
    expect(bodies).toHaveLength(1)
  })
})

it('names the reason for which Google blocks a prompt, when it sends no reply', async () => {
  const { url } = await scene.serve(() => [
    'data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}\n\n',
  ])
  const { parts } = await scene.callModel('google', url)
  expect(parts).toContainEqual({
    type: 'finish',
    reason: 'content_filter',
    detail: 'PROHIBITED_CONTENT',
  })
})
