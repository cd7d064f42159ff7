import type { Message } from '@yonder/contract/message'
import { expect, test } from 'vitest'
import { indexSiblings } from './index-siblings.ts'

const node = (id: string, parent_id: string | null, more: Partial<Message> = {}): Message => ({
  id,
  parent_id,
  role: 'user',
  content: id,
  timestamp: '2026-11-20T10:00:00.000Z',
  unix_timestamp: 1,
  status: 'complete',
  ...more,
})
const reply = (id: string, parent: string) => node(id, parent, { role: 'assistant' })

test('names the replies to the same message, oldest first (§2.35)', () => {
  const second = reply('a2', 'u1')
  const siblingsOf = indexSiblings([node('u1', null), reply('a1', 'u1'), second, reply('a3', 'u1')])
  expect(siblingsOf(second)).toEqual({ ids: ['a1', 'a2', 'a3'], index: 1 })
})

test('names the messages that begin a chat, and those that follow the same reply', () => {
  const edited = node('u2', null)
  const siblingsOf = indexSiblings([node('u1', null), reply('a1', 'u1'), edited, node('u3', 'a1')])
  expect(siblingsOf(edited)).toEqual({ ids: ['u1', 'u2'], index: 1 })
  expect(siblingsOf(node('u3', 'a1'))).toEqual({ ids: ['u3'], index: 0 })
})

test('counts neither results of tools nor a reply that goes on after another', () => {
  const result = node('t1', 'a1', { server: 'tools' })
  const next = node('u2', 'a1')
  const siblingsOf = indexSiblings([node('u1', null), reply('a1', 'u1'), result, reply('a2', 'a1'), next])
  expect(siblingsOf(next)).toEqual({ ids: ['u2'], index: 0 })
})
