import type { ApiCall } from '../chat/list-api-calls.ts'
import type { Method } from '../send-request.ts'
import type { Filled } from './fill-to-limits.ts'

/** One of the most expensive requests that a route accepts from a user who has stored everything that is allowed. */
export interface WorstRequest {
  /** What is special about it. */
  readonly what: string
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const letter = '漢'
const times = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const manyKeys = (count: number, value: unknown) =>
  Object.fromEntries(times(count).map((key) => [`key${key}`, value]))
const names = (count: number) => times(count).map((index) => `${index} ${letter.repeat(100)}`)
const days = { from: '2026-01-01', to: '2027-02-04', time_zone: 'Europe/Vienna' }
const connector = { name: 'Connector 1', url: 'http://127.0.0.1:9/1' }
const draft = { base_url: 'http://127.0.0.1:9/v1' }

/**
 * The worst accepted requests of every published route. A new route belongs here with its own: the largest answer, the
 * longest lists, the most rows that it reads or writes. An empty list means that the size of what is stored and sent
 * does not matter. In addition, every route gets the bodies of `listRefusedBodies`.
 */
export const worstRequests: Readonly<Record<string, (filled: Filled) => readonly WorstRequest[]>> = {
  'GET /api/settings': () => [],
  'GET /api/auth/userinfo': () => [],
  'POST /api/auth/id-token': () => [{ what: 'a long token', body: { id_token: 'x.'.repeat(500_000) } }],
  'GET /api/account': () => [{ what: 'everything is counted' }],
  'POST /api/account/delete': () => [
    { what: 'a long token', body: { confirmation: letter.repeat(2_000), id_token: 'x.'.repeat(16_000) } },
  ],
  'GET /api/bots': () => [{ what: '200 bots with instructions' }],
  'POST /api/bot': () => [
    { what: 'long instructions', body: { name: 'New', model: 'm', instructions: letter.repeat(50_000) } },
  ],
  'PUT /api/bot/{name}': () => [
    {
      what: 'all connectors',
      path: { name: 'Bot 1' },
      body: { name: 'Bot 1', model: 'm', connectors: names(200) },
    },
    {
      what: 'long instructions',
      path: { name: 'Bot 1' },
      body: { name: 'Bot 1', model: 'm', instructions: letter.repeat(50_000) },
    },
  ],
  'DELETE /api/bot/{name}': () => [{ what: 'a bot', path: { name: 'Bot 2' } }],
  'POST /api/bot/models': () => [{ what: 'no server', body: draft }],
  'POST /api/bot/test': () => [{ what: 'no server', body: { ...draft, model: 'm' } }],
  'GET /api/bot/local-models': () => [],
  'GET /api/projects': () => [{ what: '1,000 projects' }],
  'GET /api/project/{id}': ({ project: id }) => [{ what: 'all chats and long instructions', path: { id } }],
  'POST /api/project': () => [
    { what: 'long instructions', body: { name: letter.repeat(100), instructions: letter.repeat(50_000) } },
  ],
  'PUT /api/project/{id}': ({ project: id }) => [
    { what: 'long instructions', path: { id }, body: { instructions: letter.repeat(50_000) } },
  ],
  'DELETE /api/project/{id}': ({ project: id }) => [{ what: 'all chats', path: { id } }],
  'GET /api/mcp-servers': () => [{ what: '20 connectors with 200 tools' }],
  'POST /api/mcp-server': () => [
    {
      what: '1,000 names',
      body: { ...connector, name: 'New', allow_tools: names(1_000), block_tools: [] },
    },
  ],
  'GET /api/browse-connectors': () => [{ what: '3,000 servers' }],
  'PUT /api/mcp-server/{name}': () => [
    {
      what: '1,000 other names',
      path: { name: connector.name },
      body: { ...connector, allow_tools: names(1_000), block_tools: null },
    },
    {
      what: 'all tools',
      path: { name: connector.name },
      body: { ...connector, allow_tools: times(200).map((index) => `tool ${index}`), block_tools: null },
    },
  ],
  'PATCH /api/mcp-server/{name}': () => [
    {
      what: '200 tools',
      path: { name: 'Connector 2' },
      body: { tools: times(200).map((index) => ({ name: `tool ${index}`, permission: 'allow' })) },
    },
  ],
  'DELETE /api/mcp-server/{name}': () => [{ what: 'a connector', path: { name: 'Connector 3' } }],
  'POST /api/mcp-server/{name}/connect': () => [
    { what: 'no server', path: { name: 'Connector 2' }, body: {} },
  ],
  'POST /api/mcp-server/{name}/disconnect': () => [{ what: 'a connector', path: { name: 'Connector 2' } }],
  'GET /api/mcp-server/{name}/calls': ({ connector: name }) => [
    { what: '100 calls', path: { name }, query: { limit: '100' } },
  ],
  'GET /api/mcp-server/{name}/account': ({ connector: name }) => [{ what: 'a connector', path: { name } }],
  'GET /api/mcp-server/{name}/tools/{tool}': ({ connector: name, tool }) => [
    { what: 'a large tool', path: { name, tool } },
  ],
  'GET /api/grants': () => [{ what: '20,000 places on lists, and 500 grants with limits' }],
  'POST /api/grants': ({ bot, longChat: chatId }) => [
    {
      what: 'a large tool',
      body: {
        server: 'Connector 4',
        tool: 'tool 1',
        fingerprint: '1'.padEnd(64, '0'),
        bot,
        chatId,
        minutes: 5,
        rule: { argument: 'field_1', test: 'begins', value: letter.repeat(2_000) },
      },
    },
  ],
  'DELETE /api/grants/{id}': () => [{ what: 'an unknown one', path: { id: `list.x.${'x'.repeat(900)}` } }],
  'DELETE /api/grants': () => [
    { what: 'those of a connector', query: { server: 'Connector 5' } },
    { what: 'all', query: { all: 'true' } },
  ],
  'GET /api/tool-calls': () => [{ what: '100 of 1,000 decided calls', query: { limit: '100' } }],
  'GET /api/integrations': () => [],
  'GET /api/integration/types': () => [],
  'POST /api/integration': () => [],
  'PUT /api/integration/{name}': () => [],
  'POST /api/integration/disconnect/{name}': () => [],
  'GET /api/integration/auth/{name}': () => [],
  'POST /api/integration/callback/{service}': () => [
    { what: 'a long code', path: { service: 'gmail' }, body: { code: letter.repeat(4_000), state: 'x' } },
  ],
  'GET /api/chat/id': () => [],
  'GET /api/chats': () => [
    { what: '100 of 1,000 chats', query: { limit: '100', page: '2' } },
    { what: 'a search', query: { limit: '100', search: 'word' } },
    { what: 'a search for 250 words', query: { limit: '100', search: 'w '.repeat(250) } },
    { what: 'a search for long words', query: { limit: '100', search: letter.repeat(500) } },
  ],
  'PATCH /api/chats': ({ longChat }) => [
    { what: 'all chats', body: { chats: { section: 'recent' }, change: { pinned: true } } },
    {
      what: 'all chats by their titles',
      body: { chats: { section: 'all', filter: times(60).join(' ') }, change: { unread: true } },
    },
    {
      what: '1,000 ids',
      body: { chats: [longChat, ...times(999).map((index) => `chat-${index}`)], change: { pinned: false } },
    },
    { what: 'deleting all chats', body: { chats: { section: 'all' }, change: { deleted: true } } },
    { what: 'restoring all chats', body: { chats: { section: 'deleted' }, change: { deleted: false } } },
  ],
  'POST /api/chats/purge': () => [
    { what: '1,000 ids', body: { chats: times(1_000).map((index) => `chat-${index}`) } },
  ],
  'GET /api/chat-list': () => [
    { what: '200 of 1,000 chats', query: { section: 'recent', limit: '200' } },
    {
      what: 'a filter of many words',
      query: { section: 'all', limit: '200', filter: times(60).join(' ') },
    },
  ],
  'GET /api/transfers': () => [{ what: 'an import' }],
  // The bytes of a whole chat are streamed.
  'GET /api/chat/{id}/export': ({ longChat: id, largeChat }) => [
    { what: 'many messages as markdown', path: { id }, query: { format: 'markdown' } },
    { what: 'large messages as JSON', path: { id: largeChat }, query: { format: 'json', files: 'true' } },
  ],
  'POST /api/exports': () => [],
  'POST /api/exports/{id}/link': () => [],
  'GET /api/exports/{id}/file': () => [],
  'POST /api/exports/{id}/cancel': () => [],
  'POST /api/imports': () => [
    {
      what: '100 files with long names',
      body: { files: times(100).map(() => ({ name: letter.repeat(3_000), size: 1 })) },
    },
  ],
  'PUT /api/imports/{id}/files/{number}': () => [],
  'POST /api/imports/{id}/start': () => [],
  'POST /api/imports/{id}/cancel': () => [],
  'GET /api/chat-list/marks': () => [{ what: 'all chats' }],
  'GET /api/chats/{id}': ({ longChat, largeChat }) => [
    { what: 'many messages', path: { id: longChat } },
    { what: 'large messages', path: { id: largeChat } },
  ],
  'GET /api/files/{id}': ({ file: id }) => [{ what: 'a large image', path: { id } }],
  'GET /api/chats/{id}/messages/{messageId}/prompt': ({ largeChat: id, largeLeaf: messageId }) => [
    { what: 'a large prompt', path: { id, messageId } },
  ],
  'PUT /api/chats/{id}/compactions/{compactionId}': ({ largeChat: id, compaction: compactionId }) => [
    { what: 'a long summary', path: { id, compactionId }, body: { content: letter.repeat(100_000) } },
  ],
  'DELETE /api/chats/{id}/compactions/{compactionId}': ({ largeChat: id }) => [
    { what: 'an unknown summary', path: { id, compactionId: 'x' } },
  ],
  'POST /api/chats/{id}/compactions/{compactionId}/rewrite': ({ bot, largeChat: id, compaction }) => [
    { what: 'a long chat', path: { id, compactionId: compaction }, body: { botName: bot } },
  ],
  'GET /api/chats/{id}/usage': ({ largeChat: id }) => [
    {
      what: '100 replies',
      path: { id },
      query: {
        messageIds: times(100)
          .map((at) => `m${at}`)
          .join(),
      },
    },
  ],
  'GET /api/usage': () => [{ what: '400 days', query: days }],
  'GET /api/usage.csv': () => [{ what: '400 days', query: days }],
  'POST /api/tool/confirm': ({ bot, waitingChat, waitingCall }) => [
    {
      what: 'other arguments',
      body: {
        botName: bot,
        server: 'Connector 0',
        tool: 'tool 0',
        args: JSON.stringify(manyKeys(50_000, 0)),
        chatId: waitingChat,
        messageId: waitingCall,
      },
    },
    {
      what: 'the arguments as an object',
      body: {
        botName: bot,
        server: 'Connector 0',
        tool: 'tool 0',
        args: manyKeys(9_000, 0),
        chatId: waitingChat,
        messageId: waitingCall,
      },
    },
  ],
  'PUT /api/tool/step-decision': ({ waitingChat, waitingCall }) => [
    {
      what: 'changed arguments with many keys',
      body: {
        chatId: waitingChat,
        messageId: waitingCall,
        callId: 'later',
        allow: true,
        edited: manyKeys(9_000, 0),
      },
    },
  ],
  'POST /api/tool/answer': ({ waitingChat, waitingCall }) => [
    {
      what: 'wrong values',
      body: {
        chatId: waitingChat,
        messageId: waitingCall,
        questionId: 'q',
        answer: { action: 'accept', content: manyKeys(9_000, null) },
      },
    },
    {
      what: 'values',
      body: {
        chatId: waitingChat,
        messageId: waitingCall,
        questionId: 'q',
        answer: { action: 'accept', content: manyKeys(9_000, ['']) },
      },
    },
  ],
  'POST /api/chat/select-response': ({ longChat: chatId, longLeaf: messageId }) => [
    { what: 'many messages', body: { chatId, messageId } },
  ],
  'POST /api/chat/completions': ({ bot, longChat, longLeaf, largeChat, largeLeaf }) => [
    {
      what: 'a long message',
      body: { chatId: largeChat, botName: bot, parentId: null, content: letter.repeat(340_000) },
    },
    {
      what: 'many parts',
      body: {
        chatId: largeChat,
        botName: bot,
        parentId: null,
        content: times(4_000).map(() => ({ type: 'text', text: 'x' })),
      },
    },
    { what: 'many messages', body: { chatId: longChat, botName: bot, parentId: longLeaf, content: 'more' } },
    {
      what: 'large messages',
      body: { chatId: largeChat, botName: bot, parentId: largeLeaf, content: 'more' },
    },
  ],
  'POST /api/chat/stop': ({ longChat: chatId }) => [{ what: 'many messages', body: { chatId } }],
  'GET /api/chat/queue': ({ longChat: chatId }) => [{ what: 'many messages', query: { chatId } }],
  'POST /api/chat/queue': ({ bot, longChat: chatId, longLeaf: parentId }) => [
    {
      what: 'a long message in a long chat',
      body: { chatId, id: 'queued', botName: bot, parentId, content: letter.repeat(16_000) },
    },
    {
      what: 'many parts',
      body: {
        chatId,
        id: 'parts',
        botName: bot,
        content: times(4_000).map(() => ({ type: 'text', text: 'x' })),
      },
    },
  ],
  'PATCH /api/chat/queue/{id}': ({ longChat: chatId }) => [
    { what: 'a long message', path: { id: 'x' }, body: { chatId, content: letter.repeat(16_000) } },
  ],
  'DELETE /api/chat/queue/{id}': ({ longChat: chatId }) => [
    { what: 'an unknown message', path: { id: 'x' }, query: { chatId } },
  ],
  'POST /api/chat/queue/{id}/send': ({ longChat: chatId }) => [
    { what: 'an unknown message', path: { id: 'x' }, body: { chatId } },
  ],
  'POST /api/chat/queue/continue': ({ longChat: chatId }) => [
    { what: 'many messages', body: { chatId, id: 'x', paused: 'stopped' } },
  ],
  // Streams are measured by `bench/many-streams.ts` and `bench/relay.ts`.
  'GET /api/chat/{id}/stream': () => [],
  'GET /api/notifications': () => [],
  'PATCH /api/notifications': () => [],
  'POST /api/notifications/devices': () => [],
  'DELETE /api/notifications/devices/{id}': () => [],
  'POST /api/notifications/devices/{id}/test': () => [],
  'PUT /api/notifications/webhook': () => [],
  'DELETE /api/notifications/webhook': () => [],
  'POST /api/notifications/webhook/test': () => [],
  'PUT /api/notifications/presence': () => [],
  'GET /api/live': () => [],
  'POST /api/share/{chatId}': ({ largeChat: chatId, largeLeaf: messageId }) => [
    { what: 'a shared chat', path: { chatId }, body: { messageId } },
  ],
  'GET /api/drafts': () => [],
  'PUT /api/drafts': () => [
    {
      what: '200 drafts',
      body: {
        drafts: Object.fromEntries(times(200).map((index) => [`draft ${index}`, letter.repeat(1_500)])),
      },
    },
  ],
  // Uploads are measured by `bench/hostile-files.ts`.
  'POST /api/files': () => [],
  'GET /api/files': () => [{ what: 'a large file' }],
  'DELETE /api/files/{id}': ({ file: id }) => [{ what: 'a file of a message', path: { id } }],
  'POST /api/files/plan': ({ bot, file }) => [
    { what: 'a large file', body: { botName: bot, files: [file] } },
  ],
  'GET /api/inbox': () => [{ what: 'a long call' }],
  'GET /api/shares': () => [{ what: '1,000 links' }],
  'PATCH /api/share/{id}': () => [{ what: 'an unknown link', path: { id: 'x' }, body: { files: true } }],
  'GET /api/share/{id}/files/{fileId}': ({ shares: [long], file: fileId }) => [
    { what: 'a file that does not go along', path: { id: long, fileId } },
  ],
  'DELETE /api/share/{id}': () => [{ what: 'an unknown link', path: { id: 'x' } }],
  'GET /api/share/{id}': ({ shares: [long, large] }) => [
    { what: 'many messages', path: { id: long } },
    { what: 'large messages', path: { id: large } },
  ],
}

const bodyBytes = 1_000_000
const kinds: Readonly<Record<string, (bytes: number) => string>> = {
  numbers: (bytes) => `[${'0,'.repeat(bytes / 2)}0]`,
  'empty objects': (bytes) => `[${'{},'.repeat(bytes / 3)}0]`,
  names: (bytes) =>
    `{${times(bytes / 12)
      .map((at) => `"n${at}":0`)
      .join()}}`,
  'many names in objects': (bytes) =>
    `[${times(bytes / 16)
      .map((at) => `{"n${at}":0}`)
      .join()}]`,
  'nested lists': (bytes) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
  'a long text': (bytes) => `"${'x'.repeat(bytes)}"`,
  'a text of marks': (bytes) => `"${String.raw`e\u0301`.repeat(bytes / 7)}"`,
}

/** Bodies of almost a megabyte in which every field of a call, and an unknown one, has values of one kind. */
export function listRefusedBodies({ fields: { body } }: ApiCall): readonly { what: string; body: string }[] {
  const fields = [...body, 'unknown']
  return Object.entries(kinds).map(([what, write]) => {
    const value = write(Math.floor(bodyBytes / fields.length) - 100)
    return { what, body: `{${fields.map((field) => `"${field}":${value}`).join()}}` }
  })
}

export interface ReadyRequest {
  readonly what: string
  readonly method: Method
  readonly url: string
  readonly body?: string
}

/** Returns the requests of a call that are in the table, or undefined when it is not. */
export function listWorstRequests(call: ApiCall, filled: Filled): readonly ReadyRequest[] | undefined {
  const accepted = worstRequests[call.name]?.(filled)
  if (accepted === undefined) return undefined
  const { method } = call
  const toUrl = ({ path = {}, query = {} }: Pick<WorstRequest, 'path' | 'query'>) => {
    const url = call.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
      encodeURIComponent(path[field] ?? 'x'),
    )
    const search = new URLSearchParams(query).toString()
    return search === '' ? url : `${url}?${search}`
  }
  const requests: ReadyRequest[] = accepted.map((request) => ({
    what: request.what,
    method,
    url: toUrl(request),
    ...(call.hasBody ? { body: JSON.stringify(request.body ?? {}) } : {}),
  }))
  if (!call.hasBody) return requests
  const path = accepted.find((request) => request.path !== undefined)?.path ?? {}
  return [
    ...requests,
    ...listRefusedBodies(call).map(({ what, body }) => ({
      what: `a body of ${what}`,
      method,
      url: toUrl({ path }),
      body,
    })),
  ]
}
