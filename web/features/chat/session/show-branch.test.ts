import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { expect, test } from 'vitest'
import { showBranch } from './show-branch.ts'

const node = (id: string, parent_id: string | null): Message => ({
  id,
  parent_id,
  role: 'user',
  content: id,
  timestamp: '2026-11-20T10:00:00.000Z',
  unix_timestamp: 1,
  status: 'complete',
})
const chat: Chat = {
  id: 'c',
  messages: [node('u1', null), node('a1', 'u1'), node('a2', 'u1'), node('u2', 'a1'), node('u3', 'a1')],
  update_time: '2026-11-20T10:00:00.000Z',
  selected_message_id: 'a2',
  run: null,
}

test.each([
  ['a1', 'u3'],
  ['a2', 'a2'],
  ['u2', 'u2'],
  ['u1', 'u3'],
])('shows from %s what was written last below it: %s', (chosen, leaf) => {
  expect(showBranch(chat, chosen).selected_message_id).toBe(leaf)
})
