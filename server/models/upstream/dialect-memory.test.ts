import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openModelScene, type ModelScene } from '../../testing/models/open-model-scene.ts'
import { wireShapes } from '../../testing/models/wire-shapes.ts'
import { DialectMemory } from './dialect-memory.ts'

let scene: ModelScene
let now = 1

beforeAll(async () => {
  scene = await openModelScene()
})
afterEach(() => scene.closeServers())
afterAll(() => scene.close())

const reply = (apiType: 'openai' | 'openai-responses') => {
  const shape = wireShapes[apiType]
  return [shape.start('m'), shape.text('Hi'), shape.finish('stop', { input: 5, output: 7 })]
}

const refusals = [
  ['openai', 'stream_options', 'Unrecognized request argument supplied: stream_options'],
  ['openai-responses', 'include', 'Encrypted content is not supported with this model.'],
] as const

it.each(refusals)('sends %s a field that it refused only once: %s', async (apiType, field, message) => {
  const { url, seen } = await scene.serve(
    () => reply(apiType),
    (body) => (body[field] === undefined ? undefined : message),
  )
  const dialects = new DialectMemory(() => now)
  const call = async () => {
    expect((await scene.callModel(apiType, url, { dialects })).end).toMatchObject({ type: 'finish' })
    return seen.filter(({ body }) => body[field] !== undefined).length
  }
  expect([await call(), await call(), await call()]).toEqual([1, 1, 1])
  now += 600_001
  expect(await call()).toBe(2)
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
