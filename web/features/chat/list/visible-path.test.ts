import type { Message } from '@yonder/contract/message'
import { expect, test } from 'vitest'
import { visiblePath } from './visible-path.ts'

const message = (id: string, parent: string | null, more: Partial<Message> = {}): Message => ({
  id,
  parent_id: parent,
  role: 'user',
  content: id,
  timestamp: '2026-11-20T10:00:00.000Z',
  unix_timestamp: 1,
  status: 'complete',
  ...more,
})
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id)

test('shows only the path from the root to the selected message (§4.26)', () => {
  const tree = [message('a', null), message('b1', 'a'), message('b2', 'a'), message('c', 'b1')]
  expect(ids(visiblePath(tree, 'c'))).toEqual(['a', 'b1', 'c'])
  expect(ids(visiblePath(tree, 'b2'))).toEqual(['a', 'b2'])
})

test('leaves out results of tools, which are user messages with a server (§4.26, §3.11)', () => {
  const tree = [
    message('a', null),
    message('call', 'a', { role: 'assistant', server: 'clock', tool: 'now' }),
    message('result', 'call', { server: 'clock' }),
    message('reply', 'result', { role: 'assistant' }),
  ]
  expect(ids(visiblePath(tree, 'reply'))).toEqual(['a', 'call', 'reply'])
})

test('ends at a missing parent, at a cycle, and without a leaf', () => {
  expect(ids(visiblePath([message('b', 'gone')], 'b'))).toEqual(['b'])
  expect(ids(visiblePath([message('a', 'b'), message('b', 'a')], 'a'))).toEqual(['b', 'a'])
  expect(visiblePath([message('a', null)], null)).toEqual([])
  expect(visiblePath([message('a', null)], 'unknown')).toEqual([])
})
