import { expect, test } from 'vitest'
import {
  checkForest,
  emptyContext,
  outline,
  readAll,
  requireChat,
  zipOf,
} from '../../testing/imports/export-files.ts'
import { claude } from './claude.ts'

const noParent = '00000000-0000-4000-8000-000000000000'

function message(
  uuid: string,
  parent: string | null | undefined,
  sender: string,
  content: unknown,
  extra = {},
) {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content, citations: [] }] : content
  return {
    uuid,
    text: typeof content === 'string' ? content : '',
    content: blocks,
    sender,
    created_at: '2025-03-01T10:00:00.123456Z',
    updated_at: '2025-03-01T10:00:00.123456Z',
    attachments: [],
    files: [],
    ...(parent === undefined ? {} : { parent_message_uuid: parent }),
    ...extra,
  }
}

const conversation = (chat_messages: unknown, extra = {}) => ({
  uuid: 'c1',
  name: 'Garden',
  summary: '',
  model: null,
  created_at: '2025-03-01T09:00:00.000000Z',
  updated_at: '2025-03-02T09:00:00.000000Z',
  account: { uuid: 'me' },
  chat_messages,
  ...extra,
})

function read(messages: unknown, extra = {}) {
  const chat = requireChat(claude.read(conversation(messages, extra), emptyContext))
  checkForest(chat)
  return chat
}

test('keeps branches, dates and two first messages', () => {
  const chat = read([
    message('u', noParent, 'human', 'Hi'),
    message('a', 'u', 'assistant', 'One'),
    message('b', 'u', 'assistant', 'Two'),
    message('v', noParent, 'human', 'Hi there'),
    message('lost', 'nowhere', 'assistant', 'Lost'),
  ])
  expect(outline(chat)).toEqual([
    'user: Hi',
    '  assistant: One',
    '  assistant: Two',
    'user: Hi there',
    'assistant: Lost *',
  ])
  expect(chat).toMatchObject({
    title: 'Garden',
    createdAt: Date.UTC(2025, 2, 1, 9),
    updatedAt: Date.UTC(2025, 2, 2, 9),
    project: null,
  })
  expect(chat.messages.map(({ unix_timestamp }) => unix_timestamp % 1_000)).toEqual([123, 124, 125, 126, 127])
})

test('takes messages without parents in order, and the text of those without blocks', () => {
  const chat = read([
    message('u', undefined, 'human', [], { text: 'Hi' }),
    message('a', undefined, 'assistant', [], { text: 'Hello' }),
    null,
    message('e', undefined, 'human', ''),
    message('u2', undefined, 'human', 'More', { created_at: 'soon' }),
  ])
  expect(outline(chat)).toEqual(['user: Hi', '  assistant: Hello', '    user: More *'])
})

test('makes a chain of thoughts, calls and results', () => {
  const chat = read(
    [
      message('u', noParent, 'human', 'Weather?'),
      message('a', 'u', 'assistant', [
        { type: 'thinking', thinking: 'Two places.', summaries: [] },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Oslo' } },
        { type: 'tool_use', id: 't2', name: 'weather', input: { city: 'Rome' } },
        { type: 'tool_result', tool_use_id: 't2', name: 'weather', content: 'hot', is_error: false },
        {
          type: 'tool_result',
          tool_use_id: 't1',
          name: 'weather',
          content: [
            { type: 'text', text: 'cold' },
            { type: 'knowledge', title: 'Page', url: 'https://a.example' },
          ],
        },
        { type: 'tool_use', name: 'old', input: {} },
        { type: 'tool_result', name: 'old', content: null, is_error: true },
        { type: 'token_budget' },
        { type: 'text', text: 'Cold and hot.' },
      ]),
    ],
    { model: 'claude-opus-4' },
  )
  expect(outline(chat)).toEqual([
    'user: Weather?',
    '  assistant: {Two places.} I look. → weather({"city":"Oslo"})',
    '    user: cold\n\nPage\nhttps://a.example ← weather done',
    '      assistant:  → weather({"city":"Rome"})',
    '        user: hot ← weather done',
    '          assistant:  → old({})',
    '            user:  ← old tool_error',
    '              assistant: Cold and hot. *',
  ])
  expect(chat.messages.map(({ id }) => id)).toEqual(['u', 'a', 'a#1', 'a#2', 'a#3', 'a#4', 'a#5', 'a#6'])
  expect(chat.messages[1]).toMatchObject({ server: 'Claude', model: 'claude-opus-4' })
})

test('keeps pasted texts, and files as their names', () => {
  const chat = read([
    message('u', noParent, 'human', 'See', {
      attachments: [
        { file_name: '', file_size: 5, file_type: 'txt', extracted_content: 'A long paste' },
        {
          id: 'x',
          file_name: 'report.pdf',
          file_size: 900,
          file_type: 'pdf',
          extracted_content: 'Words of it',
        },
        { file_name: 'empty.csv', file_size: 0, extracted_content: '' },
        'strange',
      ],
      files: [{ file_kind: 'image', file_uuid: 'f1', file_name: 'cat.png' }, { file_name: 'dog.png' }],
    }),
  ])
  expect(chat.files).toEqual([
    { id: 'u#attachment-1', name: 'pasted.txt', source: { text: 'A long paste' } },
    { id: 'x', name: 'report.pdf.txt', source: { text: 'Words of it' } },
    { id: 'u#attachment-3', name: 'empty.csv', source: null },
    { id: 'f1', name: 'cat.png', source: null },
    { id: 'u#file-2', name: 'dog.png', source: null },
  ])
})

test('names the project of a chat, and reports chats without messages', async () => {
  const { source, chats, problems } = await readAll({
    'data.zip': zipOf({
      'users.json': [{ uuid: 'me', full_name: 'Ann' }],
      'projects.json': [{ uuid: 'p1', name: 'House' }],
      'conversations.json': [
        conversation([message('u', noParent, 'human', 'Hi')], { project: { uuid: 'p1' } }),
        conversation([], { uuid: 'c2', name: '' }),
        conversation(undefined, { uuid: 'c3', name: null }),
      ],
    }),
  })
  expect([source, chats.map(({ project }) => project)]).toEqual(['claude', ['House']])
  expect(problems).toEqual([
    { sourceId: 'c2', title: null, problem: 'No messages in it.' },
    { sourceId: 'c3', title: null, problem: 'It has no messages that can be read.' },
  ])
})
