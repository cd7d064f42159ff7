import { expect, test } from 'vitest'
import {
  checkForest,
  emptyContext,
  outline,
  readAll,
  requireChat,
} from '../../testing/imports/export-files.ts'
import { librechat } from './librechat.ts'

const noParent = '00000000-0000-0000-0000-000000000000'

function message(messageId: string, parentMessageId: string | undefined, text: string, extra = {}) {
  return {
    messageId,
    ...(parentMessageId !== undefined && { parentMessageId }),
    conversationId: 'c1',
    sender: 'User',
    isCreatedByUser: true,
    text,
    createdAt: '2025-04-01T10:00:00.000Z',
    error: false,
    unfinished: false,
    ...extra,
  }
}

const reply = (id: string, parent: string | undefined, text: string, extra = {}) =>
  message(id, parent, text, { isCreatedByUser: false, sender: 'GPT', model: 'gpt-4o', ...extra })

const conversation = (messages: unknown, extra = {}) => ({
  conversationId: 'c1',
  endpoint: 'openAI',
  title: 'Shell',
  exportAt: '13:18:04 GMT',
  branches: true,
  recursive: false,
  options: { model: 'gpt-4' },
  messages,
  ...extra,
})

function read(messages: unknown, extra = {}) {
  const chat = requireChat(librechat.read(conversation(messages, extra), emptyContext))
  checkForest(chat)
  return chat
}

test('reads nested and flat messages, and trees under their old name, as the same chat', () => {
  const nested = [
    message('u', noParent, 'Hi', {
      children: [
        reply('a', 'u', 'One', { children: [] }),
        reply('b', 'u', 'Two', { children: [message('v', 'b', 'Go on', { children: [] })] }),
      ],
    }),
  ]
  const flat = [
    message('u', noParent, 'Hi'),
    reply('a', 'u', 'One'),
    reply('b', 'u', 'Two'),
    message('v', 'b', 'Go on'),
  ]
  expect(outline(read(nested, { recursive: true }))).toEqual([
    'user: Hi',
    '  assistant: One',
    '  assistant: Two',
    '    user: Go on *',
  ])
  expect(read(flat)).toEqual(read(nested))
  expect(read(undefined, { messagesTree: nested })).toEqual(read(nested))
})

test('takes dates and models from messages, and the model of the chat for others', () => {
  const chat = read([
    message('u', noParent, 'Hi'),
    reply('a', 'u', 'One', { createdAt: '2025-04-01T12:00:00.000Z' }),
    reply('b', 'u', 'Two', { model: null, createdAt: 'never' }),
  ])
  expect(chat).toMatchObject({ createdAt: Date.UTC(2025, 3, 1, 10), updatedAt: Date.UTC(2025, 3, 1, 12) })
  expect(new Map(chat.messages.map(({ id, model }) => [id, model]))).toEqual(
    new Map([
      ['u', undefined],
      ['a', 'gpt-4o'],
      ['b', 'gpt-4'],
    ]),
  )
})

test('takes messages without parents in order, and those without ids and marks', () => {
  const chat = read([
    { text: 'Hi', sender: 'User' },
    { text: 'Hello', sender: 'GPT' },
    'strange',
    { text: '', sender: 'GPT' },
    { text: 'More', sender: 'user' },
  ])
  expect(outline(chat)).toEqual(['user: Hi', '  assistant: Hello', '    user: More *'])
})

test('makes a chain of thoughts, calls and results', () => {
  const chat = read([
    message('u', noParent, 'Weather?'),
    reply('a', 'u', '', {
      content: [
        { type: 'think', think: 'Hm.' },
        { type: 'text', text: { value: 'I look.' } },
        {
          type: 'tool_call',
          tool_call: { id: '1', name: 'weather', args: '{"city":"Oslo"}', output: 'cold' },
        },
        {
          type: 'tool_call',
          tool_call: { type: 'function', function: { name: 'time', arguments: {}, output: null } },
        },
        {
          type: 'tool_call',
          tool_call: {
            type: 'code_interpreter',
            code_interpreter: { input: '1+1', outputs: [{ logs: '2' }] },
          },
        },
        { type: 'agent_update' },
        null,
        { type: 'text', text: 'Cold.' },
      ],
      unfinished: true,
    }),
  ])
  expect(outline(chat)).toEqual([
    'user: Weather?',
    '  assistant: {Hm.} I look. → weather({"city":"Oslo"})',
    '    user: cold ← weather done',
    '      assistant:  → time({})',
    '        user: The export has no result of this call. ← time interrupted',
    '          assistant:  → code_interpreter(1+1)',
    '            user: [\n  {\n    "logs": "2"\n  }\n] ← code_interpreter done',
    '              assistant: Cold. *',
  ])
  expect(chat.messages.at(-1)).toMatchObject({ status: 'stopped', model: 'gpt-4o' })
})

test('reads thoughts between marks, and errors', () => {
  const chat = read([
    message('u', noParent, 'Hi'),
    reply('a', 'u', ':::thinking\nHm.\n:::\n\nHello'),
    reply('b', 'u', 'No key', { error: true }),
  ])
  expect(outline(chat)).toEqual(['user: Hi', '  assistant: {Hm.} Hello', '  assistant: **Error:** No key *'])
  expect(chat.messages[2]).toMatchObject({
    status: 'failed',
    error: { code: 'upstream_error', message: 'No key' },
  })
})

test('keeps files as their names', () => {
  const chat = read([
    message('u', noParent, 'See', {
      files: [{ file_id: 'f1', filename: 'cat.png', type: 'image/png', bytes: 5, width: 2, height: 3 }],
    }),
    reply('a', 'u', '', {
      content: [
        {
          type: 'image_file',
          image_file: { file_id: 'f2', filename: 'dog.webp', filepath: '/images/dog.webp' },
        },
      ],
      attachments: [{ filepath: '/images/x.csv', filename: 'x.csv' }, {}],
    }),
  ])
  expect(outline(chat)).toEqual(['user: See [cat.png]', '  assistant: [dog.webp] [x.csv] *'])
  expect(chat.files.map(({ source }) => source)).toEqual([null, null, null])
})

test('one chat is one file, and is reported without messages', async () => {
  const { source, chats, problems } = await readAll({
    'shell.json': conversation([message('u', noParent, 'Hi')]),
    'empty.json': conversation([], { conversationId: 'c2' }),
    'none.json': conversation(null, { conversationId: 'c3', messagesTree: null }),
  })
  expect([source, chats.length]).toEqual(['librechat', 1])
  expect(problems).toEqual([
    { sourceId: 'c2', title: 'Shell', problem: 'No messages in it.' },
    { sourceId: 'c3', title: 'Shell', problem: 'It has no messages that can be read.' },
  ])
})

test('a chat that is nested as deeply as it is long is read', async () => {
  const depth = 100_000
  const start = Array.from(
    { length: depth },
    (_, index) => `{"messageId":"${index}","isCreatedByUser":${index % 2 === 0},"text":"hi","children":[`,
  )
  const text = `{"conversationId":"c1","messages":[${start.join('')}${']}'.repeat(depth)}]}`
  const { chats, problems } = await readAll({ 'deep.json': text })
  expect([chats[0]?.messages.length, problems]).toEqual([depth, []])
})
