import type { Compaction } from '@yonder/contract/compaction'
import { expect, test } from 'vitest'
import { message, reply } from '../../../testing/chat-scene.tsx'
import { placeSummaries } from './place-summaries.ts'

const summary = (id: string, messageId: string): Compaction => ({
  id,
  message_id: messageId,
  message_count: 2,
  content: id,
  bot: 'Owl',
  model: 'owl-1',
  edited: false,
  time: new Date(0).toISOString(),
})
const messages = [
  message('u1', null),
  reply('a1', 'u1'),
  message('u2', 'a1'),
  reply('a2', 'u2'),
  message('result', 'a2', { server: 'Mail' }),
  message('u3', 'result'),
  reply('other', 'u2'),
]
const place = (leaf: string | null, ...summaries: readonly Compaction[]) =>
  [...placeSummaries(messages, leaf, summaries)].map(([id, { compaction, isReplaced }]) => [
    id,
    compaction.id,
    isReplaced,
  ])

test('a summary is placed after its last message, and the earlier ones of the path are replaced', () => {
  expect(place('u3', summary('first', 'a1'), summary('second', 'a2'))).toEqual([
    ['a2', 'second', false],
    ['a1', 'first', true],
  ])
})

test('a summary that ends with a hidden result is placed after the reply before it', () => {
  expect(place('u3', summary('one', 'result'))).toEqual([['a2', 'one', false]])
})

test('a summary of another branch is not shown', () => {
  expect(place('other', summary('first', 'a1'), summary('second', 'a2'))).toEqual([['a1', 'first', false]])
  expect(place(null, summary('first', 'a1'))).toEqual([])
})
