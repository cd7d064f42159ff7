import type { Compaction } from '@yonder/contract/compaction'
import { expect, test } from 'vitest'
import { message, reply } from '../../../testing/chat-scene.tsx'
import { makeChat } from '../../../testing/wire-objects.ts'
import { findSummary } from './current-summary.ts'

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
const find = (leaf: string | null, ...compactions: Compaction[]) => {
  const found = findSummary({ ...makeChat(messages), selected_message_id: leaf, compactions })
  return found && [found.messageId, found.compaction.id]
}

test('the last summary of the path is placed after its last message', () => {
  expect(find('u3', summary('first', 'a1'), summary('second', 'a2'))).toEqual(['a2', 'second'])
})

test('a summary that ends with a hidden result is placed after the reply before it', () => {
  expect(find('u3', summary('one', 'result'))).toEqual(['a2', 'one'])
})

test('a summary of another branch is not shown', () => {
  expect(find('other', summary('first', 'a1'), summary('second', 'a2'))).toEqual(['a1', 'first'])
  expect(find(null, summary('first', 'a1'))).toBeUndefined()
})
