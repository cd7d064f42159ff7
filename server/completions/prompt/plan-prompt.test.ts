import { describe, expect, it } from 'vitest'
import type { PromptMessage } from './build-prompt.ts'
import { planPrompt, summaryTokens, wholePath } from './plan-prompt.ts'

const message = (fields: Partial<PromptMessage>): PromptMessage => ({
  id: 'm',
  role: 'user',
  content: '',
  server: null,
  arguments: null,
  call_state: null,
  call: null,
  reasoning: null,
  ...fields,
})
/** 35 characters are ten tokens, and each message has four more. */
const text = (tokens: number) => 'x'.repeat((tokens - 4) * 3.5)
const user = (tokens: number) => message({ content: text(tokens) })
const reply = (tokens: number) => message({ role: 'assistant', content: text(tokens) })
const call = () =>
  message({
    role: 'assistant',
    arguments: '{}',
    call_state: 'answered',
    call: JSON.stringify({ id: 'c', name: 't', rest: [] }),
  })
const result = (tokens: number) => message({ content: text(tokens), server: 's' })
const budget = (tokens: number, messages = 1_000) => ({ tokens, messages })

describe('planPrompt', () => {
  it('changes nothing while the path fits', () => {
    expect(planPrompt([user(400), reply(400)], undefined, budget(1_000))).toBe(wholePath)
    expect(planPrompt([user(400), reply(400)], text(100), budget(1_000))).toBe(wholePath)
  })

  it('counts the files of a message as what is said of them', () => {
    const file = { id: 'f', name: 'x'.repeat(350), type: 'image/png', size: 3 }
    const path = [message({ content: [{ type: 'file', file }] }), reply(10), user(10)]
    expect(planPrompt(path, undefined, budget(1_000))).toBe(wholePath)
    expect(planPrompt(path, undefined, budget(130))).toEqual({ shortenBefore: 2, summarizeBefore: 2 })
  })

  it('shortens results of earlier turns first', () => {
    const path = [user(10), call(), result(5_000), reply(10), user(10)]
    expect(planPrompt(path, undefined, budget(1_000))).toEqual({ shortenBefore: 4, summarizeBefore: 0 })
  })

  it('summarises up to a message of the user, and keeps as many turns as fit', () => {
    const path = [user(100), reply(400), user(100), reply(400), user(100), reply(100), user(100)]
    expect(planPrompt(path, undefined, budget(1_000)).summarizeBefore).toBe(4)
    expect(planPrompt(path, text(300), budget(1_000)).summarizeBefore).toBe(4)
  })

  it('always keeps the last turn, and shortens its older results when it is too long', () => {
    const path = [user(100), reply(400), user(100), call(), result(5_000), call(), result(100)]
    expect(planPrompt(path, undefined, budget(1_000))).toEqual({ shortenBefore: 6, summarizeBefore: 2 })
    expect(planPrompt(path.slice(2), undefined, budget(1_000)).summarizeBefore).toBe(0)
  })

  it('does not begin with the denial of one call of a batch', () => {
    const denied = { id: 'c', name: 't', rest: [], deniedBy: 'denial' }
    const calling = message({
      role: 'assistant',
      content: text(500),
      arguments: '{}',
      call: JSON.stringify(denied),
    })
    const path = [user(100), calling, message({ id: 'denial', content: 'cancel' }), reply(600)]
    expect(planPrompt(path, undefined, budget(1_000)).summarizeBefore).toBe(0)
  })

  it('summarises a path of too many messages, whatever their length', () => {
    const path = Array.from({ length: 1_200 }, (_, index) => (index % 2 === 0 ? user(5) : reply(5)))
    const { summarizeBefore } = planPrompt(path, undefined, budget(1_000_000))
    expect(path.length - summarizeBefore).toBe(400)
  })

  it('counts characters outside ASCII as tokens', () => {
    expect(
      planPrompt([message({ content: '山'.repeat(500) }), reply(10), user(10)], undefined, budget(600)),
    ).toBe(wholePath)
    expect(
      planPrompt([message({ content: '山'.repeat(700) }), reply(10), user(10)], undefined, budget(600)),
    ).toEqual({
      shortenBefore: 2,
      summarizeBefore: 2,
    })
  })
})

describe('summaryTokens', () => {
  it('is a small part of the budget, within limits', () => {
    expect([100, 6_000, 1_000_000].map((tokens) => summaryTokens(budget(tokens)))).toEqual([100, 900, 4_000])
  })
})
