import type { Message } from '@yonder/contract/message'
import { expect, test } from 'vitest'
import { makeMessage } from '../../../testing/wire-objects.ts'
import { indexDenials, indexSiblings, visiblePath } from './message-tree.ts'

const message = makeMessage
const reply = (id: string, parent: string) => message(id, parent, { role: 'assistant' })
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id)

test('shows only the path from the root to the selected message (§4.26)', () => {
  const tree = [message('a', null), message('b1', 'a'), message('b2', 'a'), message('c', 'b1')]
  expect(ids(visiblePath(tree, 'c'))).toEqual(['a', 'b1', 'c'])
  expect(ids(visiblePath(tree, 'b2'))).toEqual(['a', 'b2'])
})

test('omits tool results, which are user messages with a server (§4.26, §3.11)', () => {
  const tree = [
    message('a', null),
    message('call', 'a', { role: 'assistant', server: 'clock', tool: 'now' }),
    message('result', 'call', { server: 'clock' }),
    reply('reply', 'result'),
  ]
  expect(ids(visiblePath(tree, 'reply'))).toEqual(['a', 'call', 'reply'])
})

test.each([
  ['waiting', 'cancel', undefined, true],
  ['denied', 'cancel', undefined, true],
  ['denied', 'Not on Fridays.', 'decision', true],
  ['denied', 'Not on Fridays.', undefined, false],
  ['denied', 'Not on Fridays.', 'another', false],
  ['answered', 'cancel', undefined, false],
] as const)(
  'after a call that is %s, the message %j is only a denial if the call was denied by %s: %s',
  (state, content, denied_by, isDenial) => {
    const call = { state, ...(denied_by !== undefined && { denied_by }) }
    const tree = [
      message('first', null, { content: 'cancel' }),
      message('call', 'first', { role: 'assistant', server: 'clock', tool: 'now', call }),
      message('decision', 'call', { content }),
      message('later', 'decision', { content: 'cancel' }),
      message('result', 'call', { content: 'cancel', server: 'clock' }),
    ]
    const shown = isDenial ? ['first', 'call', 'later'] : ['first', 'call', 'decision', 'later']
    expect(ids(visiblePath(tree, 'later'))).toEqual(shown)
    expect(indexDenials(tree)('call')?.id).toBe(isDenial ? 'decision' : undefined)
  },
)

test('ends at a missing parent, at a cycle, and without a leaf', () => {
  expect(ids(visiblePath([message('b', 'gone')], 'b'))).toEqual(['b'])
  expect(ids(visiblePath([message('a', 'b'), message('b', 'a')], 'a'))).toEqual(['b', 'a'])
  expect(visiblePath([message('a', null)], null)).toEqual([])
  expect(visiblePath([message('a', null)], 'unknown')).toEqual([])
})

test('finds the replies to the same message, oldest first (§2.35)', () => {
  const second = reply('a2', 'u1')
  const siblingsOf = indexSiblings([message('u1', null), reply('a1', 'u1'), second, reply('a3', 'u1')])
  expect(siblingsOf(second)).toEqual({ ids: ['a1', 'a2', 'a3'], index: 1 })
})

test('finds siblings among the first messages of a chat and after the same reply', () => {
  const edited = message('u2', null)
  const siblingsOf = indexSiblings([message('u1', null), reply('a1', 'u1'), edited, message('u3', 'a1')])
  expect(siblingsOf(edited)).toEqual({ ids: ['u1', 'u2'], index: 1 })
  expect(siblingsOf(message('u3', 'a1'))).toEqual({ ids: ['u3'], index: 0 })
})

test('counts neither tool results nor a reply that follows another reply as siblings', () => {
  const result = message('t1', 'a1', { server: 'tools' })
  const next = message('u2', 'a1')
  const siblingsOf = indexSiblings([message('u1', null), reply('a1', 'u1'), result, reply('a2', 'a1'), next])
  expect(siblingsOf(next)).toEqual({ ids: ['u2'], index: 0 })
})
