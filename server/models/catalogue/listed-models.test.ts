import { describe, expect, it } from 'vitest'
import { anthropicModels } from '../../testing/models/anthropic-models.ts'
import { ListedModels, readListedModel } from './listed-models.ts'

const address = {
  apiType: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  customApiPath: null,
} as const

describe('an entry of a list', () => {
  const [sonnet, haiku] = anthropicModels

  it('says what the model can do', () => {
    expect(readListedModel(sonnet)).toEqual({
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      thinking: ['adaptive'],
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      images: true,
      pdf: true,
    })
    expect(readListedModel(haiku)).toEqual({
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      thinking: ['budget'],
      efforts: [],
      images: true,
      pdf: true,
    })
  })

  it.each([
    ['of the former API', { type: 'model', id: 'claude-3', display_name: 'Claude 3', created_at: '2024' }],
    ['without values', { id: 'm', max_input_tokens: null, max_tokens: null, capabilities: null }],
    ['of odd values', { id: 'm', max_input_tokens: 0, max_tokens: '64000', capabilities: ['thinking'] }],
    ['that names no kinds', { id: 'm', capabilities: { thinking: { supported: true }, effort: true } }],
    ['that names null kinds', { id: 'm', capabilities: { effort: { supported: true, xhigh: null } } }],
  ])('%s says nothing', (_, entry) => {
    expect(readListedModel(entry)).toEqual({})
  })

  it('without the kinds of what is not supported says that there are none', () => {
    const capabilities = { thinking: { supported: false }, effort: { supported: false } }
    expect(readListedModel({ id: 'm', capabilities })).toEqual({ thinking: [], efforts: [] })
  })
})

describe('what lists say', () => {
  const list = new Map([
    ['claude-haiku-4-5-20251001', { contextWindow: 3 }],
    ['claude-haiku-4-5-20250101', { contextWindow: 2 }],
    ['claude-opus-5', { contextWindow: 1 }],
    ['Own-Model', { contextWindow: 4 }],
    ['silent', {}],
  ])

  it.each([
    ['claude-opus-5', 1],
    ['anthropic/claude-opus-5', 1],
    ['claude-haiku-4-5', 3],
    ['claude-haiku-4-5-latest', 3],
    ['claude-haiku-4-5-20250101', 2],
    ['own-model', 4],
    ['silent', undefined],
    ['claude-opus', undefined],
  ])('is found for %s', (model, contextWindow) => {
    const listed = new ListedModels(() => 0)
    listed.remember(address, list)
    expect(listed.find(address, model)?.contextWindow).toBe(contextWindow)
  })

  it('counts for its address only, written with or without a slash at the end', () => {
    const listed = new ListedModels(() => 0)
    listed.remember(address, list)
    const find = (other: object) => listed.find({ ...address, ...other }, 'claude-opus-5')?.contextWindow
    expect(find({ baseUrl: 'https://api.anthropic.com/v1/' })).toBe(1)
    for (const other of [
      { baseUrl: 'https://other.example' },
      { apiType: 'openai' },
      { customApiPath: '/x' },
    ])
      expect(find(other)).toBeUndefined()
  })

  it('stays in use while the list is read again, which one caller does: after an hour, or ten minutes after a failure', () => {
    let now = 1
    const pass = (minutes: number) => (now += minutes * 60_000 + 1)
    const listed = new ListedModels(() => now)
    expect([listed.claimRead(address), listed.claimRead(address)]).toEqual([true, false])
    pass(10)
    expect(listed.claimRead(address)).toBe(true)
    listed.remember(address, list)
    pass(59)
    expect(listed.claimRead(address)).toBe(false)
    pass(1)
    expect(listed.find(address, 'claude-opus-5')).toEqual({ contextWindow: 1 })
    expect([listed.claimRead(address), listed.claimRead(address)]).toEqual([true, false])
    expect(listed.find(address, 'claude-opus-5')).toEqual({ contextWindow: 1 })
  })

  it('is forgotten for the addresses that were used least recently', () => {
    const listed = new ListedModels(() => 0)
    const many = new Map(Array.from({ length: 1_500 }, (_, index) => [`m${index}`, { contextWindow: 1 }]))
    const other = (index: number) => ({ ...address, baseUrl: `https://${index}.example` })
    for (let index = 0; index < 20; index++) listed.remember(other(index), many)
    expect(listed.find(other(0), 'm0')).toBeUndefined()
    expect(listed.find(other(19), 'm999')).toBeDefined()
    expect(listed.find(other(19), 'm1000')).toBeUndefined()
  })
})
