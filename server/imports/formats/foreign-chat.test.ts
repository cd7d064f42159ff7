import type { MessageContent } from '@yonder/contract/message'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkForest, outline, requireChat } from '../../testing/imports/export-files.ts'
import { ChatFiles } from './chat-files.ts'
import { type ForeignNode, type Step, toImportedChat } from './foreign-chat.ts'

const read = (nodes: readonly ForeignNode[], openNodeId: string | null = null) =>
  toImportedChat({
    product: 'Product',
    sourceId: 'chat',
    title: null,
    titleSource: null,
    createdAt: null,
    updatedAt: null,
    isArchived: false,
    isPinned: false,
    project: null,
    nodes,
    openNodeId,
    files: new ChatFiles(),
  })

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('user' as const), content: fc.string() }),
  fc.record({ kind: fc.constant('reply' as const), content: fc.string(), model: fc.constant('m') }),
  fc.record({ kind: fc.constant('reasoning' as const), text: fc.string() }),
  fc.record({ kind: fc.constant('call' as const), tool: fc.string(), arguments: fc.constant('{}') }),
  fc.record({ kind: fc.constant('result' as const), tool: fc.string(), content: fc.string() }),
)
// Few ids, so that cycles, missing parents and the same id twice are common; some look like ids that we derive.
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'a#1', 'a#result', 'b#1')
const node: fc.Arbitrary<ForeignNode> = fc.record({
  id,
  parentId: fc.option(fc.oneof(id, fc.constant('missing'))),
  time: fc.option(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_009 })),
  steps: fc.array(step, { maxLength: 4 }),
})

test('makes a forest of any nodes, with cycles and missing parents', () => {
  fc.assert(
    fc.property(fc.array(node, { maxLength: 12 }), fc.option(id), (nodes, open) => {
      const chat = read(nodes, open)
      // Of the same id twice, the first counts.
      const byId = new Map(nodes.toReversed().map((item) => [item.id, item]))
      const isEmpty = [...byId.values()].every(({ steps }) =>
        steps.every((item) => item.kind === 'reasoning' && item.text === ''),
      )
      if ('problem' in chat) expect([chat.problem, isEmpty]).toEqual(['No messages in it.', true])
      else checkForest(chat)
    }),
    { numRuns: 2_000 },
  )
})

test('is the same each time, so that a second import finds every message', () => {
  fc.assert(
    fc.property(fc.array(node, { maxLength: 8 }), (nodes) => {
      expect(read(nodes)).toEqual(read(nodes))
    }),
  )
})

const text = (kind: 'user' | 'reply', content: string): Step => ({ kind, content })

test('keeps 100,000 messages in a row, listed from the last one', () => {
  const count = 100_000
  const nodes = Array.from({ length: count }, (_, index) => ({
    id: `${index}`,
    parentId: index === 0 ? null : `${index - 1}`,
    time: null,
    steps: [text(index % 2 === 0 ? 'user' : 'reply', 'hi')],
  }))
  const { messages, selectedMessageId } = requireChat(read(nodes.toReversed()))
  expect([messages.length, messages[0]?.id, selectedMessageId]).toEqual([count, '0', `${count - 1}`])
})

test('joins the messages of one turn, and shows thoughts without a reply', () => {
  const nodes: ForeignNode[] = [
    { id: 'u', parentId: null, time: null, steps: [text('user', 'Q')] },
    { id: 'a', parentId: 'u', time: null, steps: [text('reply', 'Let me see.')] },
    { id: 'b', parentId: 'a', time: null, steps: [{ kind: 'call', tool: 'find', arguments: '{}' }] },
    { id: 'c', parentId: 'b', time: null, steps: [{ kind: 'result', tool: 'find', content: 'one' }] },
    { id: 'd', parentId: 'c', time: null, steps: [{ kind: 'result', tool: 'find', content: 'two' }] },
    { id: 'e', parentId: 'd', time: null, steps: [{ kind: 'reasoning', text: 'hm' }] },
  ]
  expect(outline(requireChat(read(nodes, 'e')))).toEqual([
    'user: Q',
    '  assistant: Let me see. → find({})',
    '    user: one\n\ntwo ← find done',
    '      assistant: {hm}  *',
  ])
})

test('orders messages by time, and leaves versions in order', () => {
  const nodes: ForeignNode[] = [
    { id: 'v2', parentId: 'u', time: 1_700_000_003_000, steps: [text('reply', 'second')] },
    { id: 'v1', parentId: 'u', time: 1_700_000_002_000, steps: [text('reply', 'first')] },
    // Its clock is behind that of its parent.
    { id: 'w', parentId: 'v1', time: 1_700_000_000_000, steps: [text('user', 'next')] },
    { id: 'u', parentId: null, time: 1_700_000_001_000, steps: [text('user', 'Q')] },
  ]
  const chat = requireChat(read(nodes, 'v1'))
  expect(chat.messages.map(({ id, unix_timestamp }) => [id, unix_timestamp % 10_000])).toEqual([
    ['u', 1_000],
    ['v1', 2_000],
    ['w', 2_001],
    ['v2', 3_000],
  ])
  expect(chat.selectedMessageId).toBe('w')
})

test('keeps texts apart between which a file was', () => {
  const file = { type: 'file' as const, file: { id: 'f', name: 'cat.png', type: 'image/png', size: 1 } }
  const text = (content: string) => ({ type: 'text' as const, text: content })
  const reply = (content: MessageContent) => ({ kind: 'reply' as const, content })
  const chat = read([
    {
      id: 'u',
      parentId: null,
      time: null,
      steps: [{ kind: 'user', content: [text('Look.'), file, text('A cat.')] }],
    },
    { id: 'a', parentId: 'u', time: null, steps: [reply('One.'), reply([file]), reply('Two.')] },
    {
      id: 'b',
      parentId: 'u',
      time: null,
      steps: [reply('One.'), reply([file]), { ...reply('Two.'), end: { error: 'No more' } }],
    },
  ])
  expect(requireChat(chat).messages).toMatchObject([
    { content: [text('Look.\n\nA cat.'), file] },
    { content: [text('One.\n\nTwo.'), file] },
    { content: [text('**Error:** No more'), file], partial: 'One.\n\nTwo.' },
  ])
})
