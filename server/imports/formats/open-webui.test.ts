import { expect, test } from 'vitest'
import {
  checkForest,
  emptyContext,
  outline,
  readAll,
  requireChat,
} from '../../testing/imports/export-files.ts'
import { splitDetails } from './details-blocks.ts'
import { openWebui } from './open-webui.ts'

type Fields = Readonly<Record<string, unknown>>

function message(id: string, parentId: string | null, role: string, content: unknown, extra: Fields = {}) {
  return { id, parentId, childrenIds: [], role, content, timestamp: 1_700_000_000, ...extra }
}

function history(messages: readonly { readonly id: string }[], currentId: unknown) {
  return { messages: Object.fromEntries(messages.map((item) => [item.id, item])), currentId }
}

function chatOf(content: Fields, extra: Fields = {}) {
  return {
    id: 'c1',
    user_id: 'me',
    title: 'Sums',
    chat: { title: 'Sums', models: ['llama3'], ...content },
    created_at: 1_700_000_000,
    updated_at: 1_700_000_100,
    archived: false,
    pinned: null,
    meta: { tags: [] },
    folder_id: null,
    ...extra,
  }
}

function read(messages: readonly { readonly id: string }[], currentId: unknown = null, extra: Fields = {}) {
  const chat = requireChat(
    openWebui.read(chatOf({ history: history(messages, currentId) }, extra), emptyContext),
  )
  checkForest(chat)
  return chat
}

test('keeps versions, the open path, seconds, marks and the folder', () => {
  const chat = read(
    [
      message('u', null, 'user', '15 * 17?'),
      message('a', 'u', 'assistant', '255', { model: 'deepseek' }),
      message('b', 'u', 'assistant', '254', { timestamp: 0 }),
      message('system', 'b', 'system', 'Be kind.'),
      message('v', 'system', 'user', 'Sure?'),
    ],
    'a',
    { archived: true, pinned: true, folder: { name: 'Maths' } },
  )
  expect(outline(chat)).toEqual([
    'user: 15 * 17?',
    '  assistant: 255 *',
    '  assistant: 254',
    '    user: Sure?',
  ])
  expect(chat).toMatchObject({
    sourceId: 'c1',
    createdAt: 1_700_000_000_000,
    updatedAt: 1_700_000_100_000,
    isArchived: true,
    isPinned: true,
    project: 'Maths',
  })
  expect(chat.messages.map(({ model, unix_timestamp }) => [model, unix_timestamp % 1_000_000])).toEqual([
    [undefined, 0],
    ['deepseek', 1],
    ['llama3', 0],
    [undefined, 2],
  ])
})

test('reads the old forms: fields in the chat itself, and a list of messages', () => {
  const messages = [message('u', null, 'user', 'Hi'), message('a', 'u', 'assistant', 'Hello')]
  const flat = { title: 'Old', models: ['m'], history: history(messages, 'a'), timestamp: 1_700_000_000_000 }
  const chat = requireChat(openWebui.read(flat, emptyContext))
  expect(outline(chat)).toEqual(['user: Hi', '  assistant: Hello *'])
  expect(chat).toMatchObject({ title: 'Old', createdAt: 1_700_000_000_000 })
  expect(chat.sourceId).toBe(requireChat(openWebui.read(flat, emptyContext)).sourceId)

  const listed = {
    models: [],
    messages: [{ role: 'user', content: 'Hi' }, 3, { role: 'assistant', content: 'Hello' }],
  }
  expect(outline(requireChat(openWebui.read(chatOf(listed), emptyContext)))).toEqual([
    'user: Hi',
    '  assistant: Hello *',
  ])
})

test('finds parents in the lists of children, and survives cycles', () => {
  const chat = read([
    { ...message('u', null, 'user', 'Hi'), parentId: undefined, childrenIds: ['a', 7] } as { id: string },
    { ...message('a', null, 'assistant', 'Hello'), parentId: undefined } as { id: string },
    message('x', 'y', 'user', 'X'),
    message('y', 'x', 'assistant', 'Y'),
  ])
  expect(outline(chat)).toEqual(['user: Hi', '  assistant: Hello', 'assistant: Y', '  user: X *'])
})

test('reads thoughts and calls from the output', () => {
  const output = [
    { type: 'reasoning', content: [{ type: 'output_text', text: 'Hm.' }], summary: null },
    { type: 'function_call', call_id: '1', name: 'get_weather', arguments: '{"city":"Paris"}' },
    { type: 'function_call_output', call_id: '1', output: [{ type: 'input_text', text: 'rain' }] },
    { type: 'function_call', call_id: '2', name: 'get_time', arguments: '' },
    { type: 'other' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It rains.' }] },
  ]
  const content = '<details type="tool_calls"><summary>Tool Executed</summary>"rain"</details>It rains.'
  const chat = read([
    message('u', null, 'user', 'Weather?'),
    message('a', 'u', 'assistant', content, { output }),
  ])
  expect(outline(chat)).toEqual([
    'user: Weather?',
    '  assistant: {Hm.}  → get_weather({"city":"Paris"})',
    '    user: rain ← get_weather done',
    '      assistant:  → get_time({})',
    '        user: The export has no result of this call. ← get_time interrupted',
    '          assistant: It rains. *',
  ])
  expect(chat.messages.map(({ id }) => id)).toEqual(['u', 'a', 'a#1', 'a#2', 'a#2#result', 'a#3'])
})

test('reads thoughts and calls from the text', () => {
  const content = [
    '<details type="reasoning" done="true" duration="3">',
    '<summary>Thought for 3 seconds</summary>',
    '&gt; First &lt;b&gt;.',
    '&gt; Then.',
    '</details>',
    'I look.',
    '<details type="tool_calls" done="true" id="1" name="find" arguments="&quot;{\\&quot;q\\&quot;:\\&quot;a &gt; b\\&quot;}&quot;" result="&quot;two\\nlines&quot;" files="">',
    '<summary>Tool Executed</summary>',
    '</details>',
    `<details type="tool_calls" done="false" id="2" name="wait" arguments='{"s":1}'><summary>Executing...</summary></details>`,
    '<details type="code_interpreter" done="true" output="&quot;2&quot;"><summary>Analyzed</summary>print(1+1)</details>',
    'Done. In a line `<details type="reasoning">` is text.',
    '<details><summary>Mine</summary>stays</details>',
  ].join('\n')
  expect(
    outline(read([message('u', null, 'user', content), message('a', 'u', 'assistant', content)])).slice(1),
  ).toEqual([
    '  assistant: {First <b>.\nThen.} I look. → find({"q":"a > b"})',
    '    user: two\nlines ← find done',
    '      assistant:  → wait({"s":1})',
    '        user: The export has no result of this call. ← wait interrupted',
    '          assistant:  → code_interpreter({"code":"print(1+1)"})',
    '            user: 2 ← code_interpreter done',
    '              assistant: Done. In a line `<details type="reasoning">` is text.\n<details><summary>Mine</summary>stays</details> *',
  ])
})

test('reads blocks that were cut, in linear time', () => {
  expect(splitDetails('<details type="reasoning"><summary>x</summary>> hm')).toEqual([
    { type: 'reasoning', attributes: { type: 'reasoning' }, text: '> hm' },
  ])
  expect(splitDetails('<details type="reasoning" a="')).toEqual([
    { type: 'text', text: '<details type="reasoning" a="' },
  ])
  expect(splitDetails('<details type="reasoning"\n'.repeat(200_000))).toHaveLength(1)
})

test('keeps files: pictures in the chat, texts that were read, and names', () => {
  const files = [
    { type: 'image', url: 'data:image/png;base64,iVBORw==' },
    {
      type: 'file',
      id: 'f1',
      name: 'a.pdf',
      file: {
        id: 'f1',
        filename: 'a.pdf',
        meta: { content_type: 'application/pdf', size: 9 },
        data: { content: 'Words' },
      },
    },
    { type: 'image', url: '/api/v1/files/f2/content', name: 'cat.png' },
    { type: 'collection', id: 'k', name: 'Knowledge' },
    'strange',
  ]
  const chat = read([
    message('u', null, 'user', 'See', { files }),
    message('a', 'u', 'assistant', '', { files: [{ type: 'image', id: 'made', url: 'made' }] }),
  ])
  expect(outline(chat)).toEqual(['user: See [file.png] [a.pdf.txt] [cat.png]', '  assistant: [file.png] *'])
  expect(chat.files.map(({ source }) => source)).toEqual([
    { base64: 'iVBORw==' },
    { text: 'Words' },
    null,
    null,
  ])
})

test('keeps errors and replies that were cut', () => {
  const chat = read([
    message('u', null, 'user', 'Hi'),
    message('a', 'u', 'assistant', 'So', { error: { content: 'No model' } }),
    message('b', 'u', 'assistant', '', { error: true }),
    message('c', 'u', 'assistant', 'So', { done: false }),
    message('d', 'u', 'assistant', '', { done: false }),
    message('e', 'u', 'assistant', 'Drawn', { error: true, files: [{ type: 'image', id: 'made' }] }),
  ])
  expect(chat.messages.slice(1)).toMatchObject([
    { status: 'failed', content: '**Error:** No model', partial: 'So' },
    { status: 'failed', content: '**Error:** The reply failed.' },
    { status: 'interrupted', content: 'So' },
    {
      status: 'failed',
      content: [{ text: '**Error:** The reply failed.' }, { file: { name: 'file.png' } }],
      partial: 'Drawn',
    },
  ])
})

test('reports chats without messages', async () => {
  const { source, chats, problems } = await readAll({
    'chats.json': [
      chatOf({ history: history([], null) }),
      chatOf({ history: 'strange', messages: 4 }, { id: 'c2' }),
      chatOf({ history: history([message('u', null, 'user', 'Hi')], 'u') }, { id: 'c3' }),
    ],
  })
  expect([source, chats.length]).toEqual(['open-webui', 1])
  expect(problems.map(({ sourceId, problem }) => [sourceId, problem])).toEqual([
    ['c1', 'No messages in it.'],
    ['c2', 'It has no messages that can be read.'],
  ])
})
