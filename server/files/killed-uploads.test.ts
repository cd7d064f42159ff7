import { createHash } from 'node:crypto'
import type { UploadedFile } from '@yonder/contract/file'
import { filesOfContent } from '@yonder/contract/message-text'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectBytes } from '../db/files/file-bytes.ts'
import { FolderBytes } from '../db/files/folder-bytes.ts'
import { createChatClient, type ChatClient } from '../testing/chat/open-chat-app.ts'
import type { TestStream } from '../testing/chat/open-stream.ts'
import { startChatNode, type ChatNode } from '../testing/chat/start-chat-node.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../testing/database/test-database.ts'
import { sendFileTo, uploadFile } from '../testing/files/upload-file.ts'
import { createTestIdentity } from '../testing/identity/test-identity.ts'
import { startScriptedModel, type ScriptedModel } from '../testing/models/scripted-model.ts'
import { faultRounds } from '../testing/models/strict/soak-runs.ts'
import { createRequestClient, overHttp } from '../testing/send-request.ts'
import { removeUnused } from './remove-unused.ts'

const dayMs = 86_400_000

/** Where the server is killed in every test run. `npm run soak` kills it at all steps. */
const quickSteps = [
  'after insert file_texts 1',
  // The file is stored, and its user does not know.
  'before a response 2',
  // The same file again.
  'before delete unused_bytes 2',
  'after insert message_files 1',
]

describe.each(engines.filter(isConcurrent))(
  'a server that is killed while it stores and sends files, on %s',
  (engine) => {
    const killedAt = [
      engine === 'sqlite' ? 'after a piece of bytes 2' : 'after insert file_pieces 1',
      ...quickSteps,
    ]
    let database: TestDatabase
    let model: ScriptedModel
    let known: Pick<ChatClient, 'user' | 'headers'>
    let running: ChatNode | undefined
    beforeAll(async () => {
      database = await openTestDatabase(engine)
      model = await startScriptedModel()
      const { user, token } = await createTestIdentity(database, async () => undefined).signIn('Ada')
      known = { user, headers: { authorization: `Bearer ${token}`, host: 'localhost:3000' } }
      const { node, ada } = await start()
      await ada.post('/api/bot', { name: 'Helper', model: 'scripted' })
      await node.kill()
    })
    afterAll(async () => {
      await running?.kill()
      await model.close()
      await database.close()
    })

    async function start(killAt?: string): Promise<{ node: ChatNode; ada: ChatClient }> {
      const node = await startChatNode(database, known, model.baseUrl, {}, killAt)
      running = node
      const client = { ...createRequestClient(overHttp(node.base), known.headers), user: known.user }
      return { node, ada: createChatClient(node.base, client) }
    }

    /** Sends a message with a file, and returns the stream once it has confirmed the message. */
    async function send(ada: ChatClient, chatId: string, id: string): Promise<TestStream> {
      const content = [{ text: 'Read it' }, { type: 'file', file: { id } }]
      const stream = await ada.complete({ chatId, id: 'message', parentId: null, content })
      await stream.until(({ events }) => events.length > 0)
      return stream
    }

    const isStored = async (ada: ChatClient, id: string, bytes: Buffer): Promise<boolean> =>
      (await ada.get(`/api/files/${id}`)).body === bytes.toString()

    /** Stores a file twice and sends it, in a server that is killed on the way, and then in another one. */
    async function play(killAt: string): Promise<readonly string[]> {
      const first = await start(killAt)
      const bytes = Buffer.from(`A line of the file of "${killAt}".\n`.repeat(15_000))
      const chatId = await first.ada.newChat().catch(() => undefined)
      const upload = async (base: string): Promise<UploadedFile | undefined> => {
        const response = await sendFileTo(base, known, 'a.txt', bytes).catch(() => undefined)
        if (response !== undefined) expect(response, response.body).toHaveProperty('statusCode', 201)
        return response?.json<UploadedFile>()
      }
      const stored = [await upload(first.node.base), await upload(first.node.base)].flatMap(
        (file) => file?.id ?? [],
      )
      expect(new Set(stored).size).toBeLessThan(2)
      const [acknowledged] = stored
      const confirmed =
        chatId === undefined || acknowledged === undefined
          ? undefined
          : await send(first.ada, chatId, acknowledged).catch(() => undefined)
      await confirmed?.ended
      await first.node.kill()
      await checkRows()

      const { node, ada } = await start()
      if (acknowledged !== undefined) expect(await isStored(ada, acknowledged, bytes)).toBe(true)
      const { id } = await uploadFile(node.base, known, 'a.txt', bytes)
      expect(id).toBe(acknowledged ?? id)
      expect(await isStored(ada, id, bytes)).toBe(true)

      const chat = chatId ?? (await ada.newChat())
      if (confirmed !== undefined) await expectSent(ada, chat, id)
      const again = await send(ada, chat, id)
      again.leave()
      await expectSent(ada, chat, id)
      await node.kill()

      await removeUnused({ database, now: () => Date.now() + 2 * dayMs })
      const files = await checkRows()
      expect(await listStoredBytes()).toEqual(files)
      expect(await database.db.selectFrom('unused_bytes').selectAll().execute()).toEqual([])
      return first.node.steps
    }

    async function expectSent(ada: ChatClient, chatId: string, id: string): Promise<void> {
      const sent = (await ada.readChat(chatId)).messages.filter(({ role }) => role === 'user')
      expect(sent.map(({ content }) => filesOfContent(content).map((file) => file.id))).toEqual([[id]])
    }

    /** Checks that each row of a file has its bytes and its text, and each message its files. Returns the ids of all files. */
    async function checkRows(): Promise<readonly string[]> {
      const { db, bytes } = database
      const files = await db.selectFrom('user_files').selectAll().orderBy('id').execute()
      const texts = await db.selectFrom('file_texts').selectAll().orderBy('number').execute()
      for (const { id, hash, problem } of files) {
        expect(problem).toBe(null)
        const content = await collectBytes(bytes.read(id))
        expect(createHash('sha256').update(content).digest('hex')).toBe(hash)
        const text = texts.filter(({ file_id }) => file_id === id).map((part) => part.content)
        expect(text.join('').trim() === content.toString().trim()).toBe(true)
      }
      const ids = files.map(({ id }) => id)
      expect(texts.filter(({ file_id }) => !ids.includes(file_id))).toEqual([])
      const links = await db.selectFrom('message_files').selectAll().orderBy('chat_id').execute()
      const messages = await db
        .selectFrom('messages')
        .select(['chat_id', 'id', 'files'])
        .where('files', 'is not', null)
        .orderBy('chat_id')
        .execute()
      expect(links.map(({ chat_id, message_id, file_id }) => [chat_id, message_id, file_id])).toEqual(
        messages.flatMap(({ chat_id, id, files: refs }) =>
          (JSON.parse(refs ?? '[]') as { id: string }[]).map((file) => [chat_id, id, file.id]),
        ),
      )
      expect(links.filter(({ file_id }) => !ids.includes(file_id))).toEqual([])
      return ids
    }

    async function listStoredBytes(): Promise<readonly string[]> {
      const { bytes, db } = database
      if (bytes instanceof FolderBytes) {
        const ids: string[] = []
        for await (const id of bytes.list()) ids.push(id)
        return ids.toSorted()
      }
      const rows = await db
        .selectFrom('file_pieces')
        .select('file_id')
        .distinct()
        .orderBy('file_id')
        .execute()
      return rows.map(({ file_id }) => file_id)
    }

    it.skipIf(faultRounds > 0).each(killedAt)('has lost nothing that it confirmed: %s', async (step) => {
      expect((await play(step)).at(-1)).toBe(step)
    })

    it.runIf(faultRounds > 0)('has lost nothing that it confirmed, wherever it is killed', async () => {
      const steps = await play('')
      expect(steps).toEqual(expect.arrayContaining(killedAt))
      for (const step of steps) await play(step)
    })
  },
)
