import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { describe, expect, test } from 'vitest'
import {
  checkForest,
  emptyContext,
  outline,
  readAll,
  requireChat,
  zipOf,
} from '../../testing/imports/export-files.ts'
import { yonder } from './yonder.ts'

const now = 1_760_000_000_000

function message(
  id: string,
  parent_id: string | null,
  role: Message['role'],
  extra: Partial<Message> = {},
): Message {
  const unix_timestamp = extra.unix_timestamp ?? now + Number.parseInt(id.slice(1), 10)
  return {
    id,
    parent_id,
    role,
    content: `text of ${id}`,
    status: 'complete',
    unix_timestamp,
    timestamp: new Date(unix_timestamp).toISOString(),
    ...extra,
  }
}

const picture = { id: 'f1', name: 'cat.png', type: 'image/png', size: 3, width: 2, height: 1, alt: 'A cat' }

const messages: Message[] = [
  message('m1', null, 'user', {
    content: [
      { type: 'text', text: 'Hi' },
      { type: 'file', file: picture },
    ],
  }),
  message('m2', 'm1', 'assistant', {
    reasoning: 'Hm.',
    model: 'gpt-5',
    provider: 'OpenAI',
    bot: 'Ann',
    usage: { input_tokens: 3, output_tokens: null },
    server: 'GitHub',
    tool: 'find',
    arguments: '{"q":1}',
    call: { state: 'answered', title: 'Find', place: { index: 1, total: 2 } },
    selected_at: now + 70,
  }),
  message('m3', 'm2', 'user', {
    server: 'GitHub',
    tool: 'find',
    outcome: { status: 'done', duration: 12, parts: [{ type: 'text', text: 'x' }] },
  }),
  message('m4', 'm3', 'assistant', {
    status: 'failed',
    error: { code: 'upstream_error', message: 'No' },
    partial: 'So',
  }),
  message('m5', null, 'user'),
  message('m6', 'm5', 'assistant', { finish: 'length', unix_timestamp: 0 }),
]

const compaction = {
  id: 's1',
  message_id: 'm3',
  message_count: 2,
  content: 'Short',
  bot: 'Ann',
  model: 'gpt-5',
  edited: false,
  time: '2026-01-01T00:00:00.000Z',
}

const chat = {
  id: 'c1',
  title: 'Cats',
  title_source: 'user',
  pinned: true,
  archived: true,
  project_id: 'p1',
  created_time: '2026-01-02T00:00:00.000Z',
  update_time: '2026-01-03T00:00:00.000Z',
  selected_message_id: 'm4',
  run: null,
  messages,
  compactions: [compaction],
  files: [{ id: 'f1', name: 'cat.png', type: 'image/png', size: 3, path: 'files/f1' }],
} satisfies Chat & Record<string, unknown>

const manifest = { format: 'yonder-export', format_version: 1, counts: {} }

test('reads its own export without a change, in a folder too', async () => {
  for (const folder of ['', 'my export/']) {
    const { source, chats, problems } = await readAll({
      'yonder.zip': zipOf({
        [`${folder}chats/c1.json`]: JSON.stringify(chat, null, 2),
        [`${folder}chats/deleted.json`]: { ...chat, id: 'c2', deleted_time: '2026-01-04T00:00:00.000Z' },
        [`${folder}files/f1`]: 'png',
        [`${folder}projects.json`]: [{ id: 'p1', name: 'Animals', bot: 'Ann', instructions: '' }],
        [`${folder}bots.json`]: [{ name: 'Ann' }],
        [`${folder}manifest.json`]: manifest,
      }),
    })
    expect(problems).toEqual([])
    expect(source).toBe('yonder')
    expect(chats).toEqual([
      {
        sourceId: 'c1',
        title: 'Cats',
        titleSource: 'user',
        createdAt: Date.UTC(2026, 0, 2),
        updatedAt: Date.UTC(2026, 0, 3),
        isArchived: true,
        isPinned: true,
        project: 'Animals',
        selectedMessageId: 'm4',
        messages,
        compactions: [compaction],
        files: [{ id: 'f1', name: 'cat.png', source: { archive: 0, entry: `${folder}files/f1` } }],
      },
    ])
  }
})

test('reads a chat by itself, with its files', async () => {
  const files = [{ id: 'f1', name: 'cat.png', type: 'image/png', size: 3, base64: 'cG5n' }]
  const { chats } = await readAll({
    'cats.json': { format: 'yonder-chat', format_version: 1, chat: { ...chat, files } },
  })
  expect(chats[0]).toMatchObject({
    sourceId: 'c1',
    project: null,
    files: [{ id: 'f1', source: { base64: 'cG5n' } }],
  })
  expect(chats[0]?.messages).toEqual(messages)
})

test('reads the export of an operator', async () => {
  const { source, chats } = await readAll({
    'ann.json': {
      format: 'yonder-user',
      format_version: 1,
      user: { id: 'u' },
      projects: [{ id: 'p1', name: 'Animals' }],
      chats: [chat, { ...chat, id: 'c2', files: [] }],
    },
  })
  expect([source, chats.map(({ sourceId, project }) => [sourceId, project])]).toEqual([
    'yonder',
    [
      ['c1', 'Animals'],
      ['c2', 'Animals'],
    ],
  ])
  // The file is only named.
  expect(chats[1]?.files).toEqual([{ id: 'f1', name: 'cat.png', source: null }])
})

test.each([
  ['new.zip', zipOf({ 'manifest.json': { ...manifest, format_version: 2 }, 'chats/c1.json': chat })],
  ['new.json', { format: 'yonder-chat', format_version: 2, chat }],
])('refuses an export of a newer version: %s', async (name, content) => {
  await expect(readAll({ [name]: content })).rejects.toThrow(
    `${name} was exported by a newer version of Yonder. Update this server, and import the file again.`,
  )
})

describe('a strange chat', () => {
  const read = (fields: Record<string, unknown>) => {
    const read = requireChat(yonder.read({ ...chat, ...fields }, emptyContext))
    checkForest(read)
    return read
  }

  test('has no run, and every call of it a result', () => {
    const { messages: all } = read({
      messages: [
        message('m1', null, 'user'),
        message('m2', 'm1', 'assistant', { status: 'streaming', compacting: 3 }),
        message('m3', 'm1', 'assistant', {
          server: 'GitHub',
          tool: 'find',
          call: { state: 'waiting', fingerprint: 'x', credential: 'y', changes: [] },
        }),
      ],
      selected_message_id: 'm3',
    })
    expect(all.slice(1)).toMatchObject([
      { id: 'm2', status: 'interrupted' },
      { id: 'm3', call: { state: 'answered' } },
      {
        id: 'm3-result',
        parent_id: 'm3',
        role: 'user',
        server: 'GitHub',
        outcome: { status: 'interrupted' },
      },
    ])
    expect(all[1]).not.toHaveProperty('compacting')
    expect(all[2]?.call).toEqual({ state: 'answered' })
  })

  test('keeps what can be read of its messages', () => {
    const chat = read({
      title: null,
      created_time: 'x',
      messages: [
        { ...message('m3', 'm2', 'user'), usage: 'much', model: 'gpt-5' },
        {
          ...message('m2', 'm3', 'assistant'),
          content: [{ type: 'text', text: 'Hi' }, { type: 'new' }, 4],
          status: 'odd',
        },
        { ...message('m4', 'gone', 'user'), content: 5, unix_timestamp: -1 },
        // No date can be as late.
        { ...message('m6', 'gone', 'user'), content: '', unix_timestamp: Number.MAX_SAFE_INTEGER },
        { id: 'm5', role: 'robot' },
        null,
      ],
      compactions: [compaction, { ...compaction, message_id: 'gone' }, 4],
      selected_message_id: 'gone',
    })
    expect(outline(chat)).toEqual(['assistant: Hi', '  user: text of m3', 'user: ', 'user:  *'])
    expect(chat.messages[1]).toMatchObject({ model: 'gpt-5' })
    expect(chat).toMatchObject({ titleSource: null, createdAt: null, compactions: [compaction] })
  })

  test('is reported without messages', () => {
    expect(yonder.read({ ...chat, messages: [] }, emptyContext)).toEqual({
      sourceId: 'c1',
      title: 'Cats',
      problem: 'No messages in it.',
    })
    expect(yonder.read({ ...chat, messages: {} }, emptyContext)).toMatchObject({
      problem: 'It has no messages that can be read.',
    })
  })
})
