import { textOfMessage } from '@yonder/contract/message-text'
import type { Queue } from '@yonder/contract/queue'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createChatClient, openChatApp, type ChatApp } from '../../testing/chat/open-chat-app.ts'
import { calculate } from '../../testing/chat/open-tool-scene.ts'
import { startChatNode, type ChatNode } from '../../testing/chat/start-chat-node.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { createTestIdentity } from '../../testing/identity/test-identity.ts'
import { startScriptedModel, type ScriptedModel } from '../../testing/models/scripted-model.ts'
import { faultRounds } from '../../testing/models/strict/soak-runs.ts'
import { createRequestClient, overHttp } from '../../testing/send-request.ts'

/** Where the server is killed in every test run. `npm run soak` kills it at more places. */
const quickSteps = ['after delete queued_messages 1', 'after delete queued_messages 2']
const soakSteps = [
  'after insert queued_messages 1',
  'after update queued_messages 1',
  'after update queued_messages 2',
  'before delete queued_messages 1',
  'after update queued_messages 3',
  'before delete queued_messages 2',
  'before delete queued_messages 3',
  'after delete queued_messages 3',
  'before a response 5',
  'before a response 6',
]
const killedAt = faultRounds > 0 ? [...quickSteps, ...soakSteps] : quickSteps

describe.each(engines.filter(isConcurrent))(
  'a server that is killed while messages wait, on %s',
  (engine) => {
    let database: TestDatabase
    let model: ScriptedModel
    let remote: ChatNode | undefined
    let local: ChatApp | undefined
    beforeAll(async () => {
      database = await openTestDatabase(engine)
      model = await startScriptedModel()
    })
    afterEach(async () => {
      await remote?.kill()
      await local?.close()
      local = undefined
    })
    afterAll(async () => {
      await model.close()
      await database.close()
    })

    it.each(killedAt)('loses none and sends none twice: %s', { timeout: 120_000 }, async (step) => {
      const identity = createTestIdentity(database, async () => undefined)
      const { user, token } = await identity.signIn(`User of ${step}`)
      const headers = { authorization: `Bearer ${token}`, host: 'localhost:3000' }
      remote = await startChatNode(database, { user, headers }, model.baseUrl, {}, step)
      const clientAt = (base: string) =>
        createChatClient(base, { ...createRequestClient(overHttp(base), headers), user })
      const there = clientAt(remote.base)
      await there.get('/api/mcp-servers')
      await there.put('/api/mcp-server/default', {
        name: 'default',
        url: 'builtin://default',
        allow_tools: null,
      })
      await there.post('/api/bot', { name: 'Helper', model: 'scripted' })
      const chatId = await there.newChat()
      const gate = model.gate()
      model.when(`First at ${step}`, [gate, calculate('1 + 1')], ['It is 2.'])
      const stream = await there.send(chatId, `First at ${step}`)
      // The server may be killed before it responds.
      const queued: string[] = []
      for (const id of ['one', 'two', 'three']) {
        const body = { chatId, id, botName: 'Helper', content: `Text of ${id}` }
        const response = await there.post('/api/chat/queue', body).catch(() => undefined)
        if (response?.statusCode === 200) queued.push(id)
      }
      await there.patch('/api/chat/queue/two', { chatId, steers: true }).catch(() => undefined)
      gate.open()
      await remote.exited
      await stream.ended.catch(() => undefined)
      expect(remote.steps.at(-1)).toBe(step)

      // The lease of the server that was killed ends.
      await database.db.updateTable('runs').set({ lease_until: 0 }).where('status', '=', 'running').execute()
      local = await openChatApp({
        database,
        model,
        deps: { identity: { ...identity, register: async () => undefined } },
      })
      const here = clientAt(local.base)
      await expect
        .poll(
          async () => {
            const queue = (await here.get(`/api/chat/queue?chatId=${chatId}`)).json<Queue>()
            // The reply that was being written is interrupted. After any other one, the queue goes on by itself.
            if (queue.paused === 'interrupted')
              await here.post('/api/chat/queue/continue', {
                chatId,
                id: queue.messages[0]?.id,
                paused: queue.paused,
              })
            return [queue.messages.length, (await here.readChat(chatId)).run]
          },
          { timeout: 60_000, interval: 50 },
        )
        .toEqual([0, null])
      const { messages } = await here.readChat(chatId)
      const sent = messages.filter(({ id }) => ['one', 'two', 'three'].includes(id))
      const ids = sent.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      // One whose response was lost may have been stored.
      expect(queued.filter((id) => !ids.includes(id))).toEqual([])
      expect(ids.filter((id) => id !== 'two')).toEqual(['one', 'three'].filter((id) => ids.includes(id)))
      expect(sent.every((message) => textOfMessage(message) === `Text of ${message.id}`)).toBe(true)
    })
  },
)
