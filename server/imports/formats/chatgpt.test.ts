import { describe, expect, test } from 'vitest'
import {
  checkForest,
  emptyContext,
  outline,
  readAll,
  requireChat,
  zipOf,
} from '../../testing/imports/export-files.ts'
import { chatgpt } from './chatgpt.ts'
import { removeCitations } from './citation-marks.ts'

interface Extra {
  readonly role?: string
  readonly name?: string
  readonly type?: string
  readonly [field: string]: unknown
}

/** A node of a mapping, as the export has it. */
function node(id: string, parent: string | null, text: string | null, extra: Extra = {}) {
  const { role = 'user', name = null, type = 'text', content, metadata = {}, ...fields } = extra
  const message = {
    id,
    author: { role, name, metadata: {} },
    create_time: 1_756_000_000.5,
    update_time: null,
    content: content ?? { content_type: type, parts: [text] },
    status: 'finished_successfully',
    end_turn: null,
    weight: 1,
    metadata,
    recipient: 'all',
    channel: null,
    ...fields,
  }
  return { id, message: text === null && content === undefined ? null : message, parent, children: [] }
}

const reply = (id: string, parent: string, text: string, extra: Extra = {}) =>
  node(id, parent, text, { role: 'assistant', ...extra })

function conversation(nodes: readonly ReturnType<typeof node>[], fields: Record<string, unknown> = {}) {
  return {
    title: 'Travel',
    create_time: 1_756_000_000.123456,
    update_time: 1_756_000_400.654321,
    mapping: Object.fromEntries(nodes.map((item) => [item.id, item])),
    current_node: nodes.at(-1)?.id,
    conversation_id: 'c1',
    id: 'c1',
    default_model_slug: 'gpt-5',
    is_archived: false,
    is_starred: null,
    ...fields,
  }
}

function readNodes(nodes: readonly ReturnType<typeof node>[], fields: Record<string, unknown> = {}) {
  const chat = requireChat(chatgpt.read(conversation(nodes, fields), emptyContext))
  checkForest(chat)
  return chat
}

const root = node('root', null, null)

describe('a conversation', () => {
  test('has its dates, marks, and the model of each reply', () => {
    const chat = readNodes(
      [
        root,
        node('u', 'root', 'Hi'),
        reply('a', 'u', 'Hello', { metadata: { model_slug: 'o4-mini' } }),
        node('u2', 'a', 'More'),
        reply('a2', 'u2', 'Yes'),
      ],
      { is_archived: true, is_starred: true },
    )
    expect(chat).toMatchObject({
      sourceId: 'c1',
      title: 'Travel',
      createdAt: 1_756_000_000_123,
      updatedAt: 1_756_000_400_654,
      isArchived: true,
      isPinned: true,
      selectedMessageId: 'a2',
    })
    expect(chat.messages.map(({ model }) => model)).toEqual([undefined, 'o4-mini', undefined, 'gpt-5'])
    expect(chat.messages[0]).toMatchObject({
      unix_timestamp: 1_756_000_000_500,
      timestamp: '2025-08-24T01:46:40.500Z',
    })
  })

  test('keeps versions, and opens the path that was open', () => {
    const nodes = [
      root,
      node('u', 'root', 'Hi'),
      reply('a1', 'u', 'One'),
      reply('a2', 'u', 'Two'),
      node('u2', 'a1', 'Go on'),
      reply('a3', 'u2', 'Three'),
    ]
    expect(outline(readNodes(nodes, { current_node: 'a2' }))).toEqual([
      'user: Hi',
      '  assistant: One',
      '  assistant: Two *',
      '    user: Go on'.replace('    ', '    '),
      '      assistant: Three',
    ])
  })

  test('leaves out what its page does not show, and keeps the rest connected', () => {
    const hidden = { metadata: { is_visually_hidden_from_conversation: true } }
    const nodes = [
      root,
      node('system', 'root', 'You are helpful.', { role: 'system' }),
      node('context', 'system', '', {
        content: { content_type: 'user_editable_context', user_profile: 'secret' },
      }),
      node('u', 'context', 'Hi'),
      reply('h', 'u', 'invisible', hidden),
      reply('empty', 'h', ''),
      reply('a', 'empty', 'Hello'),
      reply('h2', 'a', 'invisible', hidden),
    ]
    expect(outline(readNodes(nodes))).toEqual(['user: Hi', '  assistant: Hello *'])
  })

  test('is read without metadata, content, children, and with parents only in children', () => {
    const chat = chatgpt.read(
      {
        id: 'c',
        title: null,
        mapping: {
          root: { children: ['u', 5] },
          u: {
            message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['Hi'] } },
            children: ['a'],
          },
          a: { message: { author: { role: 'assistant' }, content: { parts: ['Hello'] } } },
          none: { message: { author: { role: 'assistant' } }, parent: 'a' },
          null: null,
          text: 'strange',
        },
      },
      emptyContext,
    )
    expect(outline(requireChat(chat))).toEqual(['user: Hi', '  assistant: Hello *'])
    expect(chat).toMatchObject({ title: null, titleSource: null, createdAt: null, updatedAt: null })
  })

  test('survives cycles, missing parents, two roots and missing dates', () => {
    const nodes = [
      node('u', 'a', 'Hi', { create_time: null }),
      reply('a', 'u', 'Hello', { create_time: 0 }),
      node('lost', 'nowhere', 'Lost', { create_time: -5 }),
      node('second', null, 'Second', { create_time: 'soon' }),
    ]
    const chat = readNodes(nodes, { current_node: 'gone', create_time: 0, update_time: 'x' })
    expect(chat).toMatchObject({ createdAt: null, updatedAt: null, selectedMessageId: 'second' })
    expect(chat.messages.map(({ parent_id, unix_timestamp }) => [parent_id, unix_timestamp])).toEqual([
      [null, 0],
      ['a', 0],
      [null, 0],
      [null, 0],
    ])
  })

  test('is reported without messages and without a mapping', () => {
    expect(chatgpt.read(conversation([root]), emptyContext)).toEqual({
      sourceId: 'c1',
      title: 'Travel',
      problem: 'No messages in it.',
    })
    expect(chatgpt.read({ ...conversation([]), mapping: undefined }, emptyContext)).toMatchObject({
      problem: 'It has no messages that can be read.',
    })
  })
})

describe('a reply', () => {
  test('has the thoughts before it as its reasoning', () => {
    const thoughts = {
      content_type: 'thoughts',
      thoughts: [{ summary: 'Plan', content: 'First this.' }, { summary: '', content: 'Then that.' }, 7],
    }
    const nodes = [
      root,
      node('u', 'root', 'Hi'),
      node('t', 'u', '', { role: 'assistant', content: thoughts }),
      node('r', 't', '', {
        role: 'assistant',
        content: { content_type: 'reasoning_recap', content: 'Thought for 3s' },
      }),
      reply('a', 'r', 'Hello'),
    ]
    expect(outline(readNodes(nodes))).toEqual([
      'user: Hi',
      '  assistant: {**Plan**\n\nFirst this.\n\nThen that.\n\nThought for 3s} Hello *',
    ])
  })

  test('shows calls and their results as such, and goes on below', () => {
    const nodes = [
      root,
      node('u', 'root', 'Count'),
      reply('say', 'u', 'I will run it.'),
      node('code', 'say', '', {
        role: 'assistant',
        recipient: 'python',
        content: { content_type: 'code', language: 'python', text: 'print(1)' },
      }),
      node('out', 'code', '', {
        role: 'tool',
        name: 'python',
        content: { content_type: 'execution_output', text: '1' },
      }),
      node('search', 'out', '', {
        role: 'assistant',
        recipient: 'web.run',
        content: { content_type: 'code', text: '{"q":"one"}' },
      }),
      node('page', 'search', '', {
        role: 'tool',
        name: 'web.run',
        content: { content_type: 'tether_browsing_display', result: 'Found it', summary: '' },
      }),
      node('quote', 'page', '', {
        role: 'tool',
        name: 'web.run',
        content: { content_type: 'tether_quote', url: 'https://a.example', title: 'A', text: 'words' },
      }),
      reply('a', 'quote', 'It is 1.'),
      node('bio', 'a', 'remember', { role: 'assistant', recipient: 'bio' }),
    ]
    const chat = readNodes(nodes)
    expect(outline(chat)).toEqual([
      'user: Count',
      '  assistant: I will run it. → python({"code":"print(1)"})',
      '    user: 1 ← python done',
      '      assistant:  → web.run({"q":"one"})',
      '        user: Found it\n\nA\nhttps://a.example\nwords ← web.run done',
      '          assistant: It is 1. → bio({"input":"remember"})',
      '            user: The export has no result of this call. ← bio interrupted *',
    ])
    expect(chat.messages[1]).toMatchObject({ server: 'ChatGPT', call: { state: 'answered' }, model: 'gpt-5' })
    expect(chat.messages[2]).toMatchObject({
      server: 'ChatGPT',
      outcome: { status: 'done', duration: null, parts: [{ type: 'text', text: '1' }] },
    })
  })

  test('shows a result whose call is hidden, and an error', () => {
    const nodes = [
      root,
      node('u', 'root', 'Hi'),
      node('x', 'u', '', {
        role: 'tool',
        name: 'browser',
        content: { content_type: 'system_error', name: 'E', text: 'It broke.' },
      }),
      reply('a', 'x', 'Sorry', { metadata: { finish_details: { type: 'interrupted' } } }),
    ]
    const chat = readNodes(nodes)
    expect(outline(chat)).toEqual([
      'user: Hi',
      '  assistant:  → browser({})',
      '    user: It broke. ← browser tool_error',
      '      assistant: Sorry *',
    ])
    expect(chat.messages.map(({ id }) => id)).toEqual(['u', 'x', 'x#1', 'a'])
    expect(chat.messages[3]).toMatchObject({ status: 'stopped' })
  })

  test('has no marks of citations, but the words of entities', () => {
    const mark = (...values: string[]) => `\uE200${values.join('\uE202')}\uE201`
    const text = `So it is.${mark('cite', 'turn0search1')} In ${mark('entity', '["city","Paris","capital"]')}, see ${mark('url', 'Guide', 'turn0')}【4†source】.`
    expect(removeCitations(text)).toBe('So it is. In Paris, see Guide.')
    expect(removeCitations(`cut \uE200cite\uE202x`)).toBe('cut citex')
    expect(outline(readNodes([root, node('u', 'root', 'Hi'), reply('a', 'u', text)]))[1]).toBe(
      '  assistant: So it is. In Paris, see Guide. *',
    )
  })
})

test('files are found in the archive by their ids, and named by the export', async () => {
  const picture = {
    content_type: 'image_asset_pointer',
    asset_pointer: 'file-service://file-AbC1',
    size_bytes: 9,
    width: 3,
    height: 2,
  }
  const sediment = {
    content_type: 'image_asset_pointer',
    asset_pointer: 'sediment://file_00ff',
    size_bytes: 4,
  }
  const chat = conversation([
    root,
    node('u', 'root', null, {
      content: {
        content_type: 'multimodal_text',
        parts: [picture, sediment, { content_type: 'audio_transcription', text: 'Look' }, ''],
      },
      metadata: {
        attachments: [
          { id: 'file-AbC1', name: 'cat.png', mime_type: 'image/png' },
          { id: 'file-Pdf2', name: 'paper.pdf', mimeType: 'application/pdf', size: 70 },
        ],
      },
    }),
    reply('call', 'u', '{"prompt":"a cat"}', { recipient: 'dalle.text2im' }),
    node('made', 'call', null, {
      role: 'tool',
      name: 'dalle.text2im',
      content: {
        content_type: 'multimodal_text',
        parts: [{ ...picture, asset_pointer: 'file-service://file-Made3' }],
      },
    }),
  ])
  const { chats } = await readAll({
    'export.zip': zipOf({
      'conversations.json': [chat],
      'file-AbC1-cat.png': 'png',
      'file_00ff.dat': 'jpeg',
      'dalle-generations/file-Made3-made by me.webp': 'webp',
      'conversation_asset_file_names.json': { 'file_00ff.dat': 'holiday.jpg' },
    }),
  })
  const [read] = chats
  checkForest(requireChat(read ?? null))
  expect(read?.files).toEqual([
    { id: 'file-AbC1', name: 'cat.png', source: { archive: 0, entry: 'file-AbC1-cat.png' } },
    { id: 'file_00ff', name: 'holiday.jpg', source: { archive: 0, entry: 'file_00ff.dat' } },
    { id: 'file-Pdf2', name: 'paper.pdf', source: null },
    {
      id: 'file-Made3',
      name: 'made by me.webp',
      source: { archive: 0, entry: 'dalle-generations/file-Made3-made by me.webp' },
    },
  ])
  expect(read?.messages[0]?.content).toEqual([
    {
      type: 'file',
      file: { id: 'file-AbC1', name: 'cat.png', type: 'image/png', size: 9, width: 3, height: 2 },
    },
    { type: 'file', file: { id: 'file_00ff', name: 'holiday.jpg', type: 'image/jpeg', size: 4 } },
    { type: 'text', text: 'Look' },
    { type: 'file', file: { id: 'file-Pdf2', name: 'paper.pdf', type: 'application/pdf', size: 70 } },
  ])
  expect(read?.messages[2]?.outcome?.parts).toEqual([{ type: 'image', file: 'file-Made3' }])
})
