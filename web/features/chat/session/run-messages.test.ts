import type { Message } from '@yonder/contract/message'
import { expect, it, test } from 'vitest'
import { makeChat, makeMessage } from '../../../testing/wire-objects.ts'
import { findUserMessage, resumeRun, selectLeaf } from './run-messages.ts'

const message = (id: string, parent: string | null, role: Message['role'] = 'assistant') =>
  makeMessage(id, parent, { role })

it('resumes a run with all of its own messages and no message of another branch', () => {
  const messages = [
    message('question', null, 'user'),
    message('other', 'question'),
    message('call', 'question'),
    message('other question', 'other', 'user'),
    message('result', 'call', 'user'),
    message('answer', 'result'),
    message('steered', 'answer', 'user'),
    message('other answer', 'steered'),
  ]
  const chat = makeChat(messages)
  const run = resumeRun({ ...chat, run: { message_id: 'call', seq: 7 } })
  expect(run?.messages.map(({ id }) => id)).toEqual([
    'question',
    'call',
    'result',
    'answer',
    'steered',
    'other answer',
  ])
  expect(run?.seq).toBe(7)
  expect(resumeRun({ ...chat, run: null })).toBeUndefined()
  expect(resumeRun({ ...chat, run: { message_id: 'gone', seq: 7 } })).toBeUndefined()
})

const chat = makeChat(
  [
    message('u1', null, 'user'),
    message('a1', 'u1'),
    message('a2', 'u1'),
    message('u2', 'a1', 'user'),
    message('u3', 'a1', 'user'),
  ],
  { selected_message_id: 'a2' },
)

test.each([
  ['a1', 'u3'],
  ['a2', 'a2'],
  ['u2', 'u2'],
  ['u1', 'u3'],
])('selects for the branch of %s its newest message, %s', (chosen, leaf) => {
  expect(selectLeaf(chat, chosen).selected_message_id).toBe(leaf)
})

test('a branch shows the path again that it showed last', () => {
  const below = selectLeaf(selectLeaf(chat, 'u2'), 'a2')
  expect(below.selected_message_id).toBe('a2')
  expect(selectLeaf(below, 'a1').selected_message_id).toBe('u2')
})

it('finds the message before a reply, also through a chain of replies, and stops at a cycle', () => {
  const chain = [...chat.messages, message('a3', 'a1')]
  expect(findUserMessage(chain, message('a3', 'a1'))?.id).toBe('u1')
  expect(findUserMessage([message('x', 'y'), message('y', 'x')], message('x', 'y'))).toBeUndefined()
  expect(findUserMessage([], message('x', null))).toBeUndefined()
})
