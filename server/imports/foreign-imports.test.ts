import type { Chat, ChatList } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { filesOfContent, textOfContent } from '@yonder/contract/message-text'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listPath } from '../chats/message-store.ts'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { engines } from '../testing/database/test-database.ts'
import { makePng } from '../testing/files/upload-file.ts'
import { zipOf } from '../testing/imports/export-files.ts'
import { importFiles } from '../testing/imports/send-import.ts'
import { strictProviders } from '../testing/models/strict/providers.ts'
import { sendHistory, unexpected } from '../testing/models/strict/send-history.ts'

const png = makePng(8, 8)

const chatgptNode = (
  id: string,
  parent: string | null,
  author: object,
  content: object,
  more: object = {},
) => [
  id,
  {
    id,
    parent,
    children: [],
    message: { id, author, create_time: 1_700_000_000.5 + Number(id.slice(1)), content, ...more },
  },
]
/** A branch, hidden context, thoughts, a search that was called, a picture, marks of citations. */
const chatgpt = {
  conversation_id: 'g1',
  title: 'Rivers \u202Eof Europe',
  create_time: 1_700_000_000.5,
  update_time: 1_700_000_100,
  default_model_slug: 'gpt-5',
  current_node: 'n8',
  is_archived: true,
  mapping: Object.fromEntries([
    ['n0', { id: 'n0', parent: null, children: ['n1'], message: null }],
    chatgptNode(
      'n1',
      null,
      { role: 'user' },
      { content_type: 'user_editable_context', user_profile: 'Hidden' },
    ),
    chatgptNode(
      'n2',
      'n1',
      { role: 'user' },
      {
        content_type: 'multimodal_text',
        parts: [
          { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-AbC' },
          'Which river?',
        ],
      },
    ),
    chatgptNode(
      'n3',
      'n2',
      { role: 'assistant' },
      { content_type: 'thoughts', thoughts: [{ content: 'Hm.' }] },
    ),
    chatgptNode(
      'n4',
      'n3',
      { role: 'assistant' },
      { content_type: 'code', text: '{"q":"river"}' },
      { recipient: 'web.search' },
    ),
    chatgptNode(
      'n5',
      'n4',
      { role: 'tool', name: 'web.search' },
      { content_type: 'tether_quote', title: 'Rhine', url: 'https://example.com/', text: 'It is long.' },
    ),
    chatgptNode(
      'n6',
      'n5',
      { role: 'assistant' },
      { content_type: 'text', parts: ['The Rhine.\uE200cite\uE202turn0search0\uE201'] },
      { recipient: 'all', metadata: { model_slug: 'gpt-5-thinking' } },
    ),
    chatgptNode('n7', 'n2', { role: 'assistant' }, { content_type: 'text', parts: ['The Danube.'] }),
    chatgptNode('n8', 'n6', { role: 'user' }, { content_type: 'text', parts: ['Sure?'] }),
    chatgptNode('n9', 'n8', { role: 'system' }, { content_type: 'text', parts: ['Hidden too'] }),
  ]),
}

const claude = {
  uuid: 'c1',
  name: 'Sails',
  account: { uuid: 'me' },
  created_at: '2025-02-01T10:00:00Z',
  updated_at: '2025-02-01T11:00:00Z',
  chat_messages: [
    {
      uuid: 'm1',
      parent_message_uuid: '00000000-0000-4000-8000-000000000000',
      sender: 'human',
      text: 'Read this',
      content: [{ type: 'text', text: 'Read this' }],
      created_at: '2025-02-01T10:00:00Z',
      attachments: [{ file_name: 'sails.pdf', file_size: 9, extracted_content: 'All about sails' }],
      files: [{ file_name: 'mast.png' }],
    },
    {
      uuid: 'm2',
      parent_message_uuid: 'm1',
      sender: 'assistant',
      text: 'flat',
      content: [
        { type: 'thinking', thinking: 'Let me think.' },
        { type: 'tool_use', id: 't1', name: 'repl', input: { code: '1' } },
        { type: 'tool_use', id: 't2', name: 'repl', input: { code: '2' } },
        { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'one' }] },
        { type: 'tool_result', tool_use_id: 't2', content: 'two', is_error: true },
        { type: 'text', text: 'Sails are cloth.' },
      ],
      created_at: '2025-02-01T10:00:10Z',
    },
    {
      uuid: 'm3',
      parent_message_uuid: 'm2',
      sender: 'human',
      text: 'First try',
      created_at: '2025-02-01T10:01:00Z',
    },
    {
      uuid: 'm4',
      parent_message_uuid: 'm2',
      sender: 'human',
      text: 'Second try',
      created_at: '2025-02-01T10:02:00Z',
    },
    {
      uuid: 'm5',
      parent_message_uuid: 'm4',
      sender: 'assistant',
      text: 'Good.',
      created_at: '2025-02-01T10:02:10Z',
    },
  ],
}

const librechat = {
  conversationId: 'l1',
  endpoint: 'openAI',
  title: 'Ropes',
  recursive: true,
  options: { model: 'gpt-4' },
  messagesTree: [
    {
      messageId: 'm1',
      parentMessageId: '00000000-0000-0000-0000-000000000000',
      isCreatedByUser: true,
      text: 'Which rope?',
      createdAt: '2025-03-01T10:00:00Z',
      files: [{ file_id: 'f1', filename: 'rope.png', type: 'image/png', bytes: 5 }],
      children: [
        {
          messageId: 'm2',
          isCreatedByUser: false,
          text: '',
          createdAt: '2025-03-01T10:00:05Z',
          content: [
            { type: 'think', think: 'Hemp?' },
            { type: 'tool_call', tool_call: { name: 'shop', args: { q: 'rope' }, output: 'In stock' } },
            { type: 'text', text: { value: 'Hemp.' } },
          ],
          children: [],
        },
        {
          messageId: 'm3',
          isCreatedByUser: false,
          text: 'It broke',
          error: true,
          createdAt: '2025-03-01T10:00:09Z',
        },
      ],
    },
  ],
}

const openWebui = {
  id: 'o1',
  title: 'Knots',
  pinned: true,
  archived: false,
  created_at: 1_740_000_000,
  updated_at: 1_740_000_100,
  chat: {
    title: 'Knots',
    models: ['llama3'],
    history: {
      currentId: 'k3',
      messages: {
        k1: {
          id: 'k1',
          parentId: null,
          childrenIds: ['k2', 'k3'],
          role: 'user',
          content: 'Which knot?',
          timestamp: 1_740_000_000,
        },
        k2: {
          id: 'k2',
          parentId: 'k1',
          childrenIds: [],
          role: 'assistant',
          model: 'llama3',
          timestamp: 1_740_000_010,
          content:
            '<details type="reasoning" done="true"><summary>Thought</summary>\n&gt; A bowline?\n</details>\n<details type="tool_calls" done="true" name="look" arguments="&quot;{\\&quot;q\\&quot;:1}&quot;" result="&quot;Found&quot;"><summary>Tool</summary></details>\nA bowline.',
        },
        k3: {
          id: 'k3',
          parentId: 'k1',
          childrenIds: [],
          role: 'assistant',
          content: 'A reef knot.',
          done: false,
          timestamp: 1_740_000_020,
        },
      },
    },
  },
}

/** By product: the files, and the chat as it has to be here. */
const exports = {
  ChatGPT: {
    files: {
      'export.zip': zipOf({
        'conversations-000.json': [chatgpt, { id: 'none', title: 'No mapping' }],
        'user.json': { id: 'me' },
        'file-AbC-river.png': png,
      }),
    },
    title: 'Rivers of Europe',
    preview: { source: 'chatgpt', new_chats: 1, unreadable_chats: 1, files: 1 },
    lines: [
      'n2 user: Which river? [river.png]',
      'n4 assistant: → web.search({"q":"river"}) {Hm.}',
      'n5 user: Rhine\nhttps://example.com/\nIt is long. ← done',
      'n6 assistant: The Rhine.',
      'n7 assistant: The Danube.',
      'n8 user: Sure? *',
    ],
  },
  Claude: {
    files: { 'data.zip': zipOf({ 'conversations.json': [claude], 'users.json': [], 'projects.json': [] }) },
    title: 'Sails',
    preview: { source: 'claude', new_chats: 1, unreadable_chats: 0, files: 1, missing_files: 1 },
    lines: [
      'm1 user: Read this [sails.pdf.txt] [mast.png]',
      'm2 assistant: → repl({"code":"1"}) {Let me think.}',
      '- user: one ← done',
      '- assistant: → repl({"code":"2"})',
      '- user: two ← tool_error',
      '- assistant: Sails are cloth.',
      'm3 user: First try',
      'm4 user: Second try',
      'm5 assistant: Good. *',
    ],
  },
  LibreChat: {
    files: { 'ropes.json': Buffer.from(JSON.stringify(librechat)) },
    title: 'Ropes',
    preview: { source: 'librechat', new_chats: 1, unreadable_chats: 0, files: 0, missing_files: 1 },
    lines: [
      'm1 user: Which rope? [rope.png]',
      'm2 assistant: → shop({"q":"rope"}) {Hemp?}',
      '- user: In stock ← done',
      '- assistant: Hemp.',
      'm3 assistant: **Error:** It broke *',
    ],
  },
  'Open WebUI': {
    files: { 'chats.json': Buffer.from(JSON.stringify([openWebui, { ...openWebui, id: 'o2', chat: {} }])) },
    title: 'Knots',
    preview: { source: 'open-webui', new_chats: 1, unreadable_chats: 1 },
    lines: [
      'k1 user: Which knot?',
      'k2 assistant: → look({"q":1}) {A bowline?}',
      '- user: Found ← done',
      '- assistant: A bowline.',
      'k3 assistant: A reef knot. *',
    ],
  },
} as const

describe.each(engines)('the export of another product, on %s', (engine) => {
  let product: ChatApp
  beforeAll(async () => {
    product = await openChatApp({ engine })
  })
  afterAll(() => product.close())

  it.each(Object.keys(exports) as (keyof typeof exports)[])(
    '%s is stored as it was, once, and can go on with every provider',
    async (name) => {
      const { files, title, preview, lines } = exports[name]
      const user = await product.join(name)
      const first = await importFiles(product.base, user, files)
      expect(first.preview.preview).toMatchObject(preview)
      expect(first.done.result).toMatchObject({ new_chats: 1, skipped_chats: preview.unreadable_chats })
      const chat = await onlyChat(user)
      expect(chat.title).toBe(title)
      expect(chat.messages.map((message) => describeMessage(chat, message))).toEqual(lines)

      const again = await importFiles(product.base, user, files)
      expect(again.done.result).toMatchObject({ new_chats: 0, changed_chats: 0, known_chats: 1 })
      expect(await onlyChat(user)).toEqual(chat)
      for (const { id } of chat.messages) await goOn(chat, id)
    },
  )

  async function onlyChat(user: ChatClient): Promise<Chat> {
    const { chats } = (await user.get('/api/chats')).json<ChatList>()
    const archived = (await user.get('/api/chats?search=Rivers')).json<ChatList>()
    expect(chats.length + archived.chats.length).toBeGreaterThan(0)
    return user.readChat([...chats, ...archived.chats][0]?.id ?? '')
  }

  /** Sends the path to a message, with what the user writes next, as each provider wants it. */
  async function goOn({ id: chatId }: Chat, leafId: string): Promise<void> {
    const path = await listPath(product.database.db, chatId, leafId)
    const last = path.at(-1)
    if (last === undefined) throw new Error('There is no path.')
    const next = { ...last, id: 'next', role: 'user', content: 'And now?', call: null, server: null }
    const paths = last.role === 'user' ? [path, [...path, next]] : [[...path, next]]
    for (const provider of strictProviders) {
      for (const one of paths) {
        const history = { path: one, summary: undefined, shortenBefore: 0, media: ['none' as const] }
        const sent = await sendHistory(provider, history, { hasTools: true, maxTokens: null })
        expect(unexpected(sent.refusals), `${provider.name} after ${leafId}`).toEqual([])
        expect(sent.bodies.at(-1)).not.toMatch(/Hidden|Hm\.|web\.search/)
      }
    }
  }
})

/** One line: its id, a dash for a hash, text, files, call, thoughts and result, and a star at the end of the open path. */
function describeMessage({ selected_message_id }: Chat, message: Message): string {
  const { id, role, content, call, tool, arguments: args, reasoning, outcome } = message
  const parts = [
    textOfContent(content),
    ...filesOfContent(content).map(({ name }) => `[${name}]`),
    ...(call === undefined ? [] : [`→ ${tool}(${args})`]),
    ...(reasoning === undefined ? [] : [`{${reasoning}}`]),
    ...(outcome === undefined ? [] : [`← ${outcome.status}`]),
    ...(id === selected_message_id ? ['*'] : []),
  ]
  // The further messages of one have ids that ours cannot have, which are stored as their hashes.
  return `${id.length > 2 ? '-' : id} ${role}: ${parts.filter((part) => part !== '').join(' ')}`
}
