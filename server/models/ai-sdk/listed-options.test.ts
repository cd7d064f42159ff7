import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openModelScene, type ModelScene } from '../../testing/models/open-model-scene.ts'
import { wireShapes } from '../../testing/models/wire-shapes.ts'
import { ListedModels, type ListedModel } from '../catalogue/listed-models.ts'
import type { ModelOptions, ModelRequest } from '../model.ts'

let scene: ModelScene

beforeAll(async () => {
  scene = await openModelScene()
})
afterEach(() => scene.closeServers())
afterAll(() => scene.close())

const { anthropic } = wireShapes
const ok = [anthropic.start('m'), anthropic.text('ok'), anthropic.finish('stop', { input: 5, output: 7 })]

/** Calls a model of which the list says this, and returns the body that was sent. */
async function send(model: string, listed: ListedModel, request: Partial<ModelRequest>) {
  const { url, seen } = await scene.serve(() => ok)
  const listedModels = new ListedModels(() => 0)
  const address = { apiType: 'anthropic', baseUrl: url, customApiPath: null } as const
  listedModels.remember(address, new Map([[model, listed]]))
  const { parts } = await scene.callModel('anthropic', url, { request: { model, ...request }, listedModels })
  return { parts, bodies: seen.map(({ body }) => body) }
}

const adaptive = { thinking: ['adaptive'], efforts: ['low', 'medium', 'high'] } as const
const budget = { thinking: ['budget'], efforts: [] } as const
const summarized = { type: 'adaptive', display: 'summarized' }

describe('the reasoning effort, by the list of models', () => {
  it.each<[string, string, ListedModel, ModelOptions, unknown, string | undefined]>([
    [
      'adaptive, of a name that tells nothing',
      'house-model',
      adaptive,
      { reasoningEffort: 'high' },
      summarized,
      'high',
    ],
    [
      'adaptive, of an old name',
      'claude-opus-4-1',
      adaptive,
      { reasoningEffort: 'medium' },
      summarized,
      'medium',
    ],
    [
      'a budget, of a new name',
      'claude-haiku-6',
      budget,
      { reasoningEffort: 'low' },
      { type: 'enabled', budget_tokens: 4096 },
      undefined,
    ],
    [
      'adaptive without efforts',
      'house-model',
      { ...adaptive, efforts: [] },
      { reasoningEffort: 'high' },
      summarized,
      undefined,
    ],
    [
      'an effort that it has',
      'house-model',
      { ...adaptive, efforts: ['low', 'max'] },
      { reasoningEffort: 'high' },
      summarized,
      'low',
    ],
    [
      'an effort above the wanted',
      'house-model',
      { ...adaptive, efforts: ['high'] },
      { reasoningEffort: 'low' },
      summarized,
      'high',
    ],
    ['the least effort', 'house-model', adaptive, { reasoningEffort: 'minimal' }, undefined, 'low'],
    [
      'an effort alone',
      'house-model',
      { thinking: [], efforts: ['low', 'high'] },
      { reasoningEffort: 'high' },
      undefined,
      'high',
    ],
    [
      'adaptive where both are taken',
      'house-model',
      { ...adaptive, thinking: ['adaptive', 'budget'] },
      { reasoningEffort: 'low' },
      summarized,
      'low',
    ],
    [
      'a budget where only the window is known',
      'house-model',
      { contextWindow: 5 },
      { reasoningEffort: 'low' },
      { type: 'enabled', budget_tokens: 4096 },
      undefined,
    ],
  ])('is sent as %s', async (_, model, listed, options, thinking, effort) => {
    const { bodies } = await send(model, listed, { maxTokens: 1000, options })
    expect(bodies).toHaveLength(1)
    expect(bodies[0]?.['thinking']).toEqual(thinking)
    expect(bodies[0]?.['output_config']).toEqual(effort === undefined ? undefined : { effort })
  })
})

describe('the limit of output tokens, by the list of models', () => {
  it.each([
    ['all that it can write, by default', 64_000, null, undefined, 64_000],
    ['what the request says', 64_000, 500, undefined, 500],
    ['no more than the model can write', 64_000, 100_000, undefined, 64_000],
    ['both the reply and the thinking', 64_000, null, 'high', 64_000],
    ['the thinking, beside what the request says', 64_000, 1000, 'low', 5096],
    ['half for thinking, of little', 8_000, null, 'high', 8_000],
  ] as const)('is %s', async (_, maxOutputTokens, maxTokens, reasoningEffort, sent) => {
    const options = reasoningEffort === undefined ? {} : { reasoningEffort }
    const { bodies } = await send('house-model', { ...budget, maxOutputTokens }, { maxTokens, options })
    expect(bodies[0]?.['max_tokens']).toBe(sent)
  })

  it('leaves half of a short reply for its text', async () => {
    const { bodies } = await send(
      'house-model',
      { ...budget, maxOutputTokens: 8_000 },
      { options: { reasoningEffort: 'high' } },
    )
    expect(bodies[0]?.['thinking']).toEqual({ type: 'enabled', budget_tokens: 4_000 })
  })
})

describe('an option that the list says to be refused', () => {
  it.each([
    ['temperature', adaptive, { temperature: 0.5, topP: 0.5 }],
    ['topP', adaptive, { topP: 0.5 }],
    ['reasoningEffort', { thinking: [], efforts: [] }, { reasoningEffort: 'low' }],
    ['reasoningEffort', { thinking: [] }, { reasoningEffort: 'low' }],
  ] as const)('is not sent: %s', async (option, listed, options) => {
    const { parts, bodies } = await send('house-model', listed, { options })
    expect(parts).toContainEqual({ type: 'option_omitted', option })
    expect(bodies).toHaveLength(1)
  })

  it.each([
    ['with a budget', budget],
    ['with both ways of thinking', { thinking: ['adaptive', 'budget'] }],
    ['without a word about thinking', { contextWindow: 5 }],
  ] as const)('is not the temperature of a model %s', async (_, listed) => {
    const { bodies } = await send('house-model', listed, { options: { temperature: 0.5 } })
    expect(bodies).toMatchObject([{ temperature: 0.5 }])
  })
})
