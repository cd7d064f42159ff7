import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { addChat, addCompaction, addPath, type NewPathMessage } from '../factories/chats.ts'
import { addFile } from '../factories/files.ts'

/** How much a user has stored, as a part of every limit. */
export interface Fill {
  readonly bots: number
  readonly connectors: number
  /** Characters of the schema of each tool. */
  readonly schemaChars: number
  readonly projects: number
  readonly shares: number
  readonly chats: number
  /** Messages of the chat with many, and its characters. */
  readonly messages: number
  readonly chatChars: number
  readonly days: number
  readonly catalogue: number
  /** Bytes of a file. */
  readonly fileBytes: number
}

/** All limits; the chats have room for another message. */
export const fullFill: Fill = {
  bots: 200,
  connectors: 20,
  // As the largest list of tools that is read has, divided by its tools.
  schemaChars: 32_000,
  projects: 1_000,
  shares: 1_000,
  chats: 1_000,
  messages: 10_000,
  chatChars: 19_000_000,
  days: 400,
  catalogue: 3_000,
  fileBytes: 5 * 1_024 * 1_024,
}

/** What a user of `fillToLimits` has. */
export interface Filled {
  readonly bot: string
  /** Has all chats but those below. */
  readonly project: string
  readonly connector: string
  readonly tool: string
  /** A chat with many messages, and one with few large ones. */
  readonly longChat: string
  readonly largeChat: string
  /** The last replies of these chats. */
  readonly longLeaf: string
  readonly largeLeaf: string
  readonly waitingChat: string
  readonly waitingCall: string
  readonly file: string
  readonly shares: readonly [long: string, large: string]
  readonly compaction: string
}

/** A letter that has three bytes in UTF-8. */
const letter = '漢'
const toolsPerConnector = 200

/** Stores what a user may store, up to these limits, directly in the database. */
export async function fillToLimits(database: Database, userId: string, fill: Fill): Promise<Filled> {
  const { db } = database
  const bots = await fillBots(db, userId, fill.bots)
  const connector = await fillConnectors(db, userId, fill)
  const long = await fillChat(db, userId, fill.messages, Math.floor(fill.chatChars / fill.messages))
  const largeMessages = Math.max(4, Math.ceil(fill.chatChars / 1_000_000))
  const large = await fillChat(db, userId, largeMessages, Math.floor(fill.chatChars / largeMessages))
  const waiting = await fillWaitingChat(db, userId)
  await addFile(
    database,
    { userId, chatId: large.chat, messageId: large.leaf },
    { id: `file of ${userId}` },
    Buffer.alloc(fill.fileBytes, 7),
  )
  const compaction = await addCompaction(db, {
    id: `compaction-${userId}`,
    chat_id: large.chat,
    message_id: large.leaf,
    content: letter.repeat(100_000),
  })
  await fillShares(db, userId, long, large, fill.shares)
  const project = await fillProjects(db, userId, fill.projects)
  await fillChats(db, userId, project, fill.chats)
  await fillUsage(db, userId, large, fill.days)
  await fillPrompt(db, userId, large)
  await fillCalls(db, userId)
  await fillCatalogue(db, fill.catalogue)
  return {
    bot: bots,
    project,
    connector,
    tool: 'tool 0',
    longChat: long.chat,
    largeChat: large.chat,
    longLeaf: long.leaf,
    largeLeaf: large.leaf,
    ...waiting,
    file: `file of ${userId}`,
    shares: [`share-${userId}-0`, `share-${userId}-1`],
    compaction: compaction.id,
  }
}

type Db = Kysely<Tables>

/** Inserts rows one by one: together they may be larger than a statement may be. */
async function insertEach(db: Db, table: keyof Tables, rows: readonly object[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const row of rows) await trx.insertInto(table).values(row).execute()
  })
}

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

async function fillBots(db: Db, userId: string, count: number): Promise<string> {
  const rows = times(count).map((index) => ({
    id: `bot-${userId}-${index}`,
    user_id: userId,
    name: `Bot ${index}`,
    model: 'm'.repeat(300),
    // Nothing listens there.
    base_url: 'http://127.0.0.1:9/v1',
    instructions: letter.repeat(50_000),
    created_at: index + 10,
  }))
  await insertEach(db, 'bots', rows)
  return 'Bot 0'
}

async function fillProjects(db: Db, userId: string, count: number): Promise<string> {
  const rows = times(count).map((index) => ({
    id: `project-${userId}-${index}`,
    user_id: userId,
    name: `${index}`.padEnd(100, letter),
    instructions: letter.repeat(50_000),
    bot_id: `bot-${userId}-0`,
    created_at: index + 10,
  }))
  await insertEach(db, 'projects', rows)
  return `project-${userId}-0`
}

async function fillConnectors(db: Db, userId: string, { connectors, schemaChars }: Fill): Promise<string> {
  for (const index of times(connectors)) {
    const id = `connector-${userId}-${index}`
    await insertEach(db, 'connectors', [
      {
        id,
        user_id: userId,
        name: `Connector ${index}`,
        url: `http://127.0.0.1:9/${index}`,
        asks: 1,
        credential_version: 0,
        status: 'connected',
        is_default: 0,
        slug: `connector_${index}`,
        notice: letter.repeat(1_000),
        tools_expire_at: 4_000_000_000_000,
        created_at: index + 10,
      },
    ])
    const properties = Object.fromEntries(
      times(100).map((field) => [
        `field_${field}`,
        { type: 'string', description: 'd'.repeat(schemaChars / 100 - 60) },
      ]),
    )
    const tools = times(toolsPerConnector).map((position) => {
      const name = `tool ${position}`
      const definition = JSON.stringify({
        name,
        title: letter.repeat(300),
        description: letter.repeat(4_096),
        inputSchema: { type: 'object', properties },
        outputSchema: null,
        annotations: null,
      })
      return {
        connector_id: id,
        name,
        position,
        definition,
        fingerprint: `${position}`.padEnd(64, '0'),
        problem: null,
      }
    })
    await insertEach(db, 'connector_tools', tools)
    const allowed = tools.map(({ problem: _, ...tool }) => ({
      ...tool,
      permission: 'allow',
      fingerprint: 'other',
    }))
    const named = times(800).map((position) => ({
      connector_id: id,
      name: `${position} ${letter.repeat(190)}`,
      permission: 'block',
      position: position + toolsPerConnector,
      fingerprint: null,
      definition: null,
    }))
    await insertEach(db, 'tool_permissions', [...allowed, ...named])
  }
  await fillGrants(db, userId, schemaChars)
  return 'Connector 0'
}

/** As many grants with limits as a user may have, for tools that have changed since. */
async function fillGrants(db: Db, userId: string, schemaChars: number): Promise<void> {
  const inputSchema = { type: 'object', description: 'd'.repeat(schemaChars) }
  const definition = JSON.stringify({
    name: 'tool 1',
    title: null,
    description: letter.repeat(4_096),
    inputSchema,
    outputSchema: null,
    annotations: null,
  })
  const rows = times(499).map((index) => ({
    id: `grant-${userId}-${index}`,
    user_id: userId,
    connector_id: `connector-${userId}-0`,
    name: `tool ${index % toolsPerConnector}`,
    fingerprint: 'other',
    definition,
    bot_id: `bot-${userId}-0`,
    rule: JSON.stringify({ argument: `${index}`, test: 'begins', value: letter.repeat(2_000) }),
    created_at: index,
  }))
  await insertEach(db, 'tool_grants', rows)
}

async function fillChat(db: Db, userId: string, count: number, chars: number) {
  const chat = `chat-${userId}-${count}`
  await addChat(db, { id: chat, user_id: userId, updated_at: 1 })
  const path = await db.transaction().execute((trx) =>
    addPath(
      trx,
      { id: chat, updated_at: 1 },
      times(count).map((index): NewPathMessage =>
        index % 2 === 0
          ? { id: `m${index}`, role: 'user', content: `${index} ${'word '.repeat(chars / 5)}` }
          : {
              id: `m${index}`,
              role: 'assistant',
              content: `${index} ${'**word** '.repeat(chars / 9)}`,
              reasoning: 'r'.repeat(chars / 10),
              usage: JSON.stringify({ input_tokens: 1, output_tokens: 1 }),
            },
      ),
    ),
  )
  await db
    .updateTable('chats')
    .set({ chars: count * chars })
    .where('id', '=', chat)
    .execute()
  return { chat, leaf: path.at(-1)?.id ?? '' }
}

/** A chat with a call that waits, whose arguments are as long as they may be. */
async function fillWaitingChat(db: Db, userId: string) {
  const chat = `chat-${userId}-waiting`
  await addChat(db, { id: chat, user_id: userId, updated_at: 1 })
  const args = JSON.stringify(Object.fromEntries(times(20_000).map((key) => [`key${key}`, key])))
  await addPath(db, { id: chat, updated_at: 1 }, [
    { id: 'question', role: 'user', content: 'Act' },
    {
      id: 'call',
      role: 'assistant',
      content: '',
      connector_id: `connector-${userId}-0`,
      server: 'Connector 0',
      tool: 'tool 0',
      arguments: args,
      call_state: 'waiting',
      call: JSON.stringify({
        id: 'c',
        name: 'connector_0__tool_0',
        askedAt: Date.now(),
        total: 2,
        rest: [
          {
            id: 'later',
            name: 'connector_0__tool_0',
            arguments: args,
            target: {
              connectorId: `connector-${userId}-0`,
              connectorName: 'Connector 0',
              toolName: 'tool 0',
            },
            preview: { asks: true, fingerprint: 'f' },
          },
        ],
      }),
    },
  ])
  return { waitingChat: chat, waitingCall: 'call' }
}

type FilledChat = Awaited<ReturnType<typeof fillChat>>

async function fillShares(
  db: Db,
  userId: string,
  long: FilledChat,
  large: FilledChat,
  count: number,
): Promise<void> {
  const leaves = [long, large].map(({ chat, leaf }) => ({ chat_id: chat, message_id: leaf }))
  const others = times(Math.max(0, count - 2)).map((index) => ({
    chat_id: long.chat,
    message_id: `m${index}`,
  }))
  const rows = [...leaves, ...others.filter(({ message_id }) => message_id !== long.leaf)]
  await insertEach(
    db,
    'shares',
    rows.map((row, index) => ({
      ...row,
      id: `share-${userId}-${index}`,
      user_id: userId,
      created_at: index,
    })),
  )
}

async function fillChats(db: Db, userId: string, project_id: string, count: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const index of times(count)) {
      const id = `chat-${userId}-listed-${index}`
      await addChat(trx, { id, user_id: userId, project_id, updated_at: 1_000 + index })
      await addPath(trx, { id, updated_at: 1 }, [
        { role: 'user', content: letter.repeat(2_000) },
        { role: 'assistant', content: letter.repeat(2_000) },
      ])
    }
  })
}

async function fillUsage(db: Db, userId: string, { chat }: FilledChat, days: number): Promise<void> {
  const dayMs = 86_400_000
  const rows = times(days * 100).map((index) => ({
    id: `usage-${userId}-${index}`,
    user_id: userId,
    chat_id: chat,
    message_id: `m${index}`,
    kind: 'reply',
    bot_id: `bot-${userId}-${index % 10}`,
    bot: `Bot ${index % 10}`,
    model: `${index % 100}`.padEnd(300, 'm'),
    time: Date.parse('2026-01-01') + Math.floor(index / 100) * dayMs,
    input_tokens: 1,
    output_tokens: 1,
    cost: 1,
    currency: 'USD',
  }))
  await insertEach(db, 'usage_records', rows)
}

async function fillPrompt(db: Db, userId: string, { chat, leaf }: FilledChat): Promise<void> {
  const texts = {
    instructions: letter.repeat(50_000),
    tools: JSON.stringify(
      times(128).map((tool) => ({
        name: `t${tool}`,
        description: letter.repeat(1_000),
        schema: JSON.stringify({ d: 'd'.repeat(900) }),
      })),
    ),
  }
  const prompt = { model: 'm', time: 1, maxTokens: null, ...texts, pathLength: 1_000, shortenBefore: 0 }
  await insertEach(db, 'sent_prompts', [
    { chat_id: chat, message_id: leaf, prompt: JSON.stringify({ ...prompt, instructions: 'i', tools: 't' }) },
  ])
  await insertEach(db, 'prompt_texts', [
    { user_id: userId, hash: 'i', content: texts.instructions, used_at: 1 },
    { user_id: userId, hash: 't', content: texts.tools, used_at: 1 },
  ])
}

async function fillCalls(db: Db, userId: string): Promise<void> {
  const rows = times(1_000).map((index) => ({
    id: `call-${userId}-${index}`,
    user_id: userId,
    connector_id: `connector-${userId}-0`,
    connector: letter.repeat(200),
    tool: letter.repeat(128),
    arguments_hash: '0'.repeat(64),
    approval: 'once',
    outcome: 'done',
    started_at: index,
    decided_at: Date.now() - index,
    chat_id: `chat-${userId}-waiting`,
    message_id: 'call',
  }))
  await insertEach(db, 'tool_calls', rows)
}

export const registryUrl = 'http://127.0.0.1:9'

async function fillCatalogue(db: Db, count: number): Promise<void> {
  const servers = times(count).map((index) => ({
    name: `${index} ${letter.repeat(290)}`,
    title: letter.repeat(300),
    author_name: letter.repeat(100),
    description: letter.repeat(1_000),
    config_name: 'remote',
    server_url: `https://x.example/${'p'.repeat(1_900)}`,
    uuid: String(index),
    needs_token: false,
  }))
  await insertEach(db, 'connector_catalogue', [
    { source: registryUrl, servers: JSON.stringify(servers), fetched_at: 1, attempted_at: Date.now() + 1e12 },
  ])
}
