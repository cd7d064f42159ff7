import type { ApiType } from '@yonder/contract/bot'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { assistantMessage, resultsMessage } from '../../testing/models/messages.ts'
import { openModelScene, sceneKey, type ModelScene } from '../../testing/models/open-model-scene.ts'
import { wireShapes } from '../../testing/models/wire-shapes.ts'
import { userMessage, type ModelOptions } from '../model.ts'
import { noteSource, writeNote } from '../reply-parts.ts'
import { DialectMemory } from './dialect-memory.ts'

let scene: ModelScene
let now = 1

beforeAll(async () => {
  scene = await openModelScene()
})
afterEach(() => scene.closeServers())
afterAll(() => scene.close())

const reply = (apiType: ApiType) => {
  const shape = wireShapes[apiType]
  return [shape.start('m'), shape.text('Hi'), shape.finish('stop', { input: 5, output: 7 })]
}

const tool = { name: 'look', description: '', inputSchema: { type: 'object', properties: { name: {} } } }
const messages = [
  userMessage('Look'),
  assistantMessage('', [{ id: 'aaaaaaaaa', name: 'look', arguments: '{"name":"x","role":"y"}' }]),
  resultsMessage({ callId: 'aaaaaaaaa', name: 'look', text: 'Seen.' }),
]

/** Optional fields, how the request has them, and how servers refuse them. */
const refusals: readonly (readonly [ApiType, model: string, field: string, message: string])[] = [
  ['openai', 'm', '"stream_options":', 'Unrecognized request argument supplied: stream_options'],
  ['openai', 'm', '"stream_options":', 'stream_options: Extra inputs are not permitted'],
  ['openai', 'm', '"name":"look","content"', "property 'messages.2.name' is unsupported"],
  ['openai', 'm', '"name":"look","content"', 'messages.2.tool.name: Extra inputs are not permitted'],
  ['openai', 'm', '"name":"look","content"', "Additional properties are not allowed ('name' was unexpected)"],
  ['openai', 'deepseek', '"reasoning_content":', 'json: unknown field "reasoning_content"'],
  [
    'openai',
    'deepseek',
    '"reasoning_content":',
    "Extra inputs, field: 'messages[1].reasoning_content', value: '-'",
  ],
  [
    'openai',
    'gemini-3-pro',
    '"extra_content":',
    'Invalid JSON payload received. Unknown name "extra_content" at \'messages[1].tool_calls[0]\': Cannot find field.',
  ],
  ['openai-responses', 'm', '"include":', 'Encrypted content is not supported with this model.'],
  ['openai-responses', 'm', '"store":', "Unknown parameter: 'store'."],
  ['openai-responses', 'm', '"strict":', 'tools.0.strict: Extra inputs are not permitted'],
  ['anthropic', 'm', '"cache_control":', 'system.0.cache_control: Extra inputs are not permitted'],
  [
    'anthropic',
    'claude-fable-5-1',
    '"block_binding":',
    'thinking.block_binding: Extra inputs are not permitted',
  ],
]

it.each(refusals)(
  'sends %s (%s) a refused field only once: %s %s',
  async (apiType, model, field, message) => {
    const has = (body: object) => JSON.stringify(body).includes(field)
    const { url, seen } = await scene.serve(
      () => reply(apiType),
      (body) => (has(body) ? message : undefined),
    )
    const dialects = new DialectMemory(() => now)
    const request = { model, messages, tools: [tool], instructions: 'Be brief.' }
    const call = async () => {
      expect((await scene.callModel(apiType, url, { dialects, request })).end).toMatchObject({
        type: 'finish',
      })
      return seen.length
    }
    expect([await call(), await call(), await call()]).toEqual([2, 3, 4])
    expect(has(seen[0]?.body ?? {})).toBe(true)
    // What only looks like the field stays.
    const sent = JSON.stringify(seen.at(-1)?.body)
    expect(sent).not.toContain('"thinking":{}')
    expect(sent).toContain('"properties":{"name":{}}')
    expect(sent).toMatch(/name\\?":\\?"x\\?",\\?"role\\?":\\?"y/)
    now += 600_001
    expect(await call()).toBe(6)
  },
)

it('keeps what it learned when the call then fails for another reason', async () => {
  const { url, seen } = await scene.serve(
    () => reply('openai'),
    (body) =>
      body['stream_options'] === undefined
        ? 'This model has a maximum context length of 4096 tokens.'
        : 'Unknown parameter: stream_options',
  )
  const dialects = new DialectMemory(() => now)
  for (const _ of [1, 2])
    expect((await scene.callModel('openai', url, { dialects })).end).toMatchObject({
      code: 'context_exceeded',
    })
  expect(seen).toHaveLength(3)
})

it('sends reasoning back without its items when they are orphans', async () => {
  const { url, seen } = await scene.serve(
    () => reply('openai-responses'),
    (body) =>
      JSON.stringify(body).includes('"rs_1"')
        ? "Item 'rs_1' of type 'reasoning' was provided without its required following item."
        : undefined,
  )
  const source = noteSource({
    apiType: 'openai-responses',
    url: new URL(`${url}/responses`),
    model: 'wire-model',
    key: sceneKey,
  })
  const note = writeNote(source, {
    reasoning: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }],
  })
  const call = { id: 'aaaaaaaaa', name: 'look', arguments: '{}', note }
  const sent = [
    userMessage('Look'),
    assistantMessage('', [call]),
    resultsMessage({ callId: 'aaaaaaaaa', name: 'look', text: 'Seen.' }),
  ]
  expect(
    (await scene.callModel('openai-responses', url, { request: { messages: sent, tools: [tool] } })).end,
  ).toMatchObject({ type: 'finish' })
  expect(seen).toHaveLength(2)
})

it('does not remember a change that did not help', async () => {
  const { url, seen } = await scene.serve(
    () => reply('openai'),
    () => 'Unknown: stream_options',
  )
  const dialects = new DialectMemory(() => now)
  for (const _ of [1, 2]) await scene.callModel('openai', url, { dialects })
  expect(seen.filter(({ body }) => body['stream_options'] !== undefined)).toHaveLength(2)
})

it.each(['openai', 'openai-responses', 'anthropic', 'google'] as const)(
  'leaves out the options that a model of %s has refused, until the request has others',
  async (apiType) => {
    const refuses = (body: object) =>
      ['temperature', 'top_p', 'topP'].find((name) => JSON.stringify(body).includes(`"${name}":`))
    const { url, seen } = await scene.serve(
      () => reply(apiType),
      (body) => {
        const name = refuses(body)
        return name && `Unsupported parameter: '${name}' is not supported with this model.`
      },
    )
    const dialects = new DialectMemory(() => now)
    const call = async (options: ModelOptions) => {
      const before = seen.length
      const { parts, end } = await scene.callModel(apiType, url, { dialects, request: { options } })
      expect(end).toMatchObject({ type: 'finish' })
      const omitted = parts.flatMap((part) => (part.type === 'option_omitted' ? [part.option] : []))
      return { omitted, requests: seen.length - before }
    }
    const both = { temperature: 0.5, topP: 0.5 }
    expect(await call(both)).toEqual({ omitted: ['temperature', 'topP'], requests: 3 })
    expect(await call(both)).toEqual({ omitted: ['temperature', 'topP'], requests: 1 })
    expect(await call({ topP: 0.25 })).toEqual({ omitted: ['topP'], requests: 2 })
    expect(await call({})).toEqual({ omitted: [], requests: 1 })
  },
)
