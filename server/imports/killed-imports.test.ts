import type { ImportResult, Transfer } from '@yonder/contract/transfer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectBytes } from '../db/files/file-bytes.ts'
import { createChatClient, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { startChatNode, type ChatNode } from '../testing/chat/start-chat-node.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../testing/database/test-database.ts'
import { makePng } from '../testing/files/upload-file.ts'
import { createTestIdentity } from '../testing/identity/test-identity.ts'
import { exportedChat, exportedMessage, makeExport } from '../testing/imports/make-export.ts'
import { endOfImport, importFiles } from '../testing/imports/send-import.ts'
import { startScriptedModel, type ScriptedModel } from '../testing/models/scripted-model.ts'
import { faultRounds } from '../testing/models/strict/soak-runs.ts'
import { createRequestClient, overHttp } from '../testing/send-request.ts'

/** Where the server is killed in every test run. `npm run soak` kills it at ten places. */
const quickSteps = ['after insert messages 9', 'after insert user_files 1']
const soakSteps = [
  'after update transfers 2',
  'before insert projects 1',
  'before insert chats 1',
  'after insert chats 2',
  'after insert messages 14',
  'before insert message_files 1',
  'after insert compactions 1',
  'after insert chats 4',
]
const killedAt = faultRounds > 0 ? [...quickSteps, ...soakSteps] : quickSteps

const png = makePng(8, 8)
const file = { id: 'f1', name: 'cat.png', type: 'image/png', size: png.length }
const long = Array.from({ length: 300 }, (_, at) =>
  // Every third one is a version that is not open.
  exportedMessage(`m${at}`, at < 3 ? null : `m${at % 3 === 1 ? at - 2 : Math.floor(at / 3) * 3 - 3}`, {
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Text ${at} `.repeat(30),
  }),
)
const summary = {
  id: 's1',
  message_id: 'a1',
  message_count: 2,
  content: 'A summary.',
  bot: 'Ada',
  model: 'm',
  edited: false,
  time: '2025-03-02T00:00:00.000Z',
}
const zip = makeExport(
  [
    exportedChat(1, { project: 'Boats' }),
    exportedChat(2, { messages: long, selected_message_id: 'm297' }),
    exportedChat(3, {
      messages: [
        exportedMessage('u1', null, { content: [{ type: 'file', file }] }),
        exportedMessage('a1', 'u1', { role: 'assistant' }),
      ],
      files: [{ ...file, path: 'files/f1/cat.png' }],
      compactions: [summary],
    }),
    exportedChat(4, { messages: [] }),
    exportedChat(5),
  ],
  { 'files/f1/cat.png': png },
)

describe.each(engines.filter(isConcurrent))('an import whose server is killed, on %s', (engine) => {
  let database: TestDatabase
  let model: ScriptedModel
  let running: ChatNode | undefined
  const known = new Map<string, Pick<ChatClient, 'user' | 'headers'>>()
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    model = await startScriptedModel()
  })
  afterAll(async () => {
    await running?.kill()
    await model.close()
    await database.close()
  })

  async function start(name: string, killAt?: string): Promise<{ node: ChatNode; user: ChatClient }> {
    const { user, token } = await createTestIdentity(database, async () => undefined).signIn(name)
    const headers = { authorization: `Bearer ${token}`, host: 'localhost:3000' }
    const client = known.get(name) ?? { user, headers }
    known.set(name, client)
    const node = await startChatNode(database, client, model.baseUrl, {}, killAt)
    running = node
    const requests = { ...createRequestClient(overHttp(node.base), client.headers), user: client.user }
    return { node, user: createChatClient(node.base, requests) }
  }

  /** What the user has, without ids that are new in each import. */
  async function read(userId: string) {
    const { db, bytes } = database
    const chats = await db
      .selectFrom('chats as c')
      .leftJoin('projects as p', 'p.id', 'c.project_id')
      .select(['c.id', 'c.source_id', 'c.title', 'c.chars', 'c.created_at', 'c.updated_at'])
      .select(['c.selected_message_id', 'p.name as project'])
      .where('c.user_id', '=', userId)
      .orderBy('c.source_id')
      .execute()
    const files = await db.selectFrom('user_files').selectAll().where('user_id', '=', userId).execute()
    return {
      files: await Promise.all(files.map(async ({ id }) => (await collectBytes(bytes.read(id))).equals(png))),
      chats: await Promise.all(
        chats.map(async ({ id, ...chat }) => {
          const messages = await db
            .selectFrom('messages')
            .select(['id', 'parent_id', 'first_id', 'second_id', 'content', 'unix_timestamp'])
            .where('chat_id', '=', id)
            .orderBy('unix_timestamp')
            .execute()
          const count = async (table: 'message_files' | 'compactions') =>
            (await db.selectFrom(table).select('message_id').where('chat_id', '=', id).execute()).length
          return {
            ...chat,
            messages,
            links: await count('message_files'),
            summaries: await count('compactions'),
          }
        }),
      ),
    }
  }

  /** Imports, in a server that is killed on the way and then in another one. */
  async function play(
    name: string,
    killAt?: string,
  ): Promise<{ result?: ImportResult; steps: readonly string[] }> {
    const first = await start(name, killAt ?? '')
    await first.user.post('/api/bot', { name: 'Helper', model: 'scripted' }).catch(() => undefined)
    const whole = await importFiles(first.node.base, first.user, { 'a.zip': zip }).catch(() => undefined)
    await first.node.kill()
    const { steps } = first.node
    if (whole !== undefined) return { steps, ...(whole.done.result && { result: whole.done.result }) }
    // The lease of the node that died ends.
    await database.db.updateTable('transfers').set({ lease_until: 0 }).execute()
    const second = await start(name)
    await second.user.post('/api/bot', { name: 'Helper', model: 'scripted' })
    const open = (await second.user.get('/api/transfers')).json<{ import: Transfer | null }>().import
    const ended =
      open?.state === 'running' || open?.state === 'reading' ? await endOfImport(second.user) : open
    const finish = async (): Promise<Transfer> => {
      if (ended?.state === 'done') return ended
      return (await importFiles(second.node.base, second.user, { 'a.zip': zip })).done
    }
    const { result } = await finish()
    await second.node.kill()
    return { steps, ...(result && { result }) }
  }

  it.each(killedAt)('has the same when it was done: %s', { timeout: 120_000 }, async (step) => {
    const wholeName = 'Whole'
    if (!known.has(wholeName)) await play(wholeName)
    const whole = await read(known.get(wholeName)?.user.id ?? '')
    expect(whole.chats).toHaveLength(4)
    expect(whole.files).toEqual([true])

    const name = `User of ${step}`
    const { steps, result } = await play(name, step)
    expect(steps.at(-1)).toBe(step)
    expect(await read(known.get(name)?.user.id ?? '')).toEqual(whole)
    expect(result).toMatchObject({
      new_chats: 4,
      changed_chats: 0,
      known_chats: 0,
      skipped_chats: 1,
      files: 1,
    })
  })
})
