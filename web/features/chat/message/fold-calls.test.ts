import type { Message } from '@yonder/contract/message'
import type { ToolOutcome } from '@yonder/contract/tool-call'
import { expect, it } from 'vitest'
import { makeMessage, makeReply } from '../../../testing/wire-objects.ts'
import { foldCalls } from './folded-calls.tsx'

const done: ToolOutcome = { status: 'done', duration: 1, parts: [] }
const image: ToolOutcome = { ...done, parts: [{ type: 'image', file: 'f1' }] }

/** Replies that call a tool, with the outcomes of the calls; null for a call without a result. */
function fold(outcomes: readonly (ToolOutcome | null)[], texts: Readonly<Record<number, string>> = {}) {
  const results = new Map<string, Message>()
  const replies = outcomes.map((outcome, index) => {
    const id = `a${index}`
    if (outcome !== null) results.set(id, makeMessage(`r${index}`, id, { server: 's', outcome }))
    return makeReply(id, `p${index}`, { tool: 't', content: texts[index] ?? '' })
  })
  return foldCalls(
    replies,
    (id) => results.get(id),
    ({ id }) => id === 'kept',
  ).map(({ foldedIds, ...rest }) => ({ ...rest, folded: [...foldedIds].join() }))
}

it('folds five finished calls in a row, but not fewer', () => {
  expect(fold([done, done, done, done])).toEqual([])
  expect(fold([done, done, done, done, done])).toEqual([
    { firstId: 'a0', folded: 'a0,a1,a2,a3,a4', count: 5, failures: 0 },
  ])
})

it('keeps failures, images and calls that are not over, and counts those that are', () => {
  const failed: ToolOutcome = { ...done, status: 'tool_error' }
  expect(fold([done, failed, done, done, image, done, done, null])).toEqual([
    { firstId: 'a0', folded: 'a0,a2,a3,a5,a6', count: 7, failures: 1 },
  ])
})

it('starts a new row at every text of the model', () => {
  const five = Array.from({ length: 5 }, () => done)
  expect(fold([...five, ...five], { 0: 'First.', 5: 'Then.' }).map(({ firstId }) => firstId)).toEqual([
    'a0',
    'a5',
  ])
  expect(fold([...five.slice(0, 3), ...five.slice(0, 3)], { 3: 'Then.' })).toEqual([])
})

it('folds answered calls whose results are not on the path of a link', () => {
  const replies = Array.from({ length: 6 }, (_, index) =>
    makeReply(`a${index}`, `p${index}`, { tool: 't', content: '', call: { state: 'answered' } }),
  )
  expect(
    foldCalls(
      replies,
      () => undefined,
      () => false,
    ),
  ).toMatchObject([{ count: 6, failures: 0 }])
})
