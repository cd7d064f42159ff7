import { afterEach, describe, expect, it } from 'vitest'
import { createChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall } from '../../testing/chat/open-tool-app.ts'
import type { ToolApp } from '../../testing/chat/open-tool-app.ts'
import { startChatNode } from '../../testing/chat/start-chat-node.ts'
import type { ChatNode } from '../../testing/chat/start-chat-node.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'
import { leaseMs } from '../log/run-store.ts'
import { statusAndBody } from '../../testing/send-request.ts'

/** Milliseconds that the other process may take to start and to load the client for tools. */
const patience = 20_000
const patient = { timeout: 3 * patience }

describe.each(engines)('a tool call that runs on another server, on %s', (engine) => {
  let near: ToolApp
  let far: ChatNode | undefined
  afterEach(async () => {
    await far?.kill()
    await near.close()
  })

  async function open(behaviour: string, allow_tools: readonly string[] | null = null) {
    near = await openToolApp({ engine })
    const here = await near.join()
    await near.connect(here, behaviour, { name: 'tools', allow_tools })
    far = await startChatNode(near.database, here, near.model.baseUrl)
    return { here, there: createChatClient(far.base, here), kill: far.kill }
  }

  const expectCalled = () => expect.poll(() => near.countCalls('silent-call'), { timeout: patience }).toBe(1)

  it.runIf(isConcurrent(engine))(
    'can be approved on this server, and shown and stopped on the other (§13.10)',
    patient,
    async () => {
      const { here, there } = await open('silent-call', [])
      near.model.reply([callOf('tools', 'act')])
      const chatId = await there.newChat()
      const asked = await there.send(chatId, 'Hang')
      await asked.ended
      const confirmed = await here.confirm(waitingCall(chatId, asked))
      await expectCalled()
      const following = await there.follow(chatId)
      await following.until(({ run }) => run.messages[1]?.call?.state === 'running')
      expect((await there.readChat(chatId)).messages[1]?.call?.state).toBe('running')
      expect(statusAndBody(await there.post('/api/tool/confirm', waitingCall(chatId, asked)))).toMatchObject({
        status: 409,
      })
      await there.post('/api/chat/stop', { chatId })
      await Promise.all([confirmed.ended, following.ended])
      expect(following.run).toEqual(confirmed.run)
      expect(following.run.status).toBe('stopped')
      expect((await there.readChat(chatId)).messages).toEqual(following.run.messages)
      expect(await near.countCalls('silent-call')).toBe(1)
    },
  )

  it.runIf(isConcurrent(engine))(
    'receives the answer to its elicitation from this server (§13.17)',
    patient,
    async () => {
      const { here, there } = await open('question')
      near.model.reply([callOf('tools', 'act')])
      near.model.reply(['Answered.'])
      const chatId = await here.newChat()
      const stream = await there.send(chatId, 'Ask')
      await stream.until(({ run }) => run.messages[1]?.call?.question !== undefined)
      const chat = await here.readChat(chatId)
      const question = chat.messages[1]?.call?.question
      const at = { chatId, messageId: chat.messages[1]?.id, questionId: question?.id }
      const answer = { action: 'accept', content: { name: 'Ada' } }
      expect(statusAndBody(await here.post('/api/tool/answer', { ...at, answer }))).toMatchObject({
        status: 200,
      })
      await stream.ended
      expect(stream.text).toBe('Answered.')
      expect(stream.run.messages[2]?.outcome?.status).toBe('done')
    },
  )

  it.runIf(isConcurrent(engine))(
    'gets a result that it may have finished when the other server is killed, and never runs again (§12.9)',
    async () => {
      const { here, there, kill } = await open('silent-call')
      near.model.reply([callOf('tools', 'act', {}, 'a'), callOf('tools', 'act', {}, 'b')])
      const chatId = await here.newChat()
      const stream = await there.send(chatId, 'Hang')
      const watching = await here.follow(chatId)
      await stream.until(({ run }) => run.messages[1]?.call?.state === 'running')
      await expectCalled()
      await kill()
      await watching.ended
      expect(watching.run).toMatchObject({
        status: 'interrupted',
        messages: [
          { role: 'user' },
          { call: { state: 'answered' } },
          { outcome: { status: 'interrupted', duration: null } },
        ],
      })
      const chat = await here.readChat(chatId)
      expect(chat.run).toBeNull()
      expect(chat.messages).toEqual(watching.run.messages)
      expect(chat.selected_message_id).toBe(chat.messages[2]?.id)
      expect(await near.countCalls('silent-call')).toBe(1)
      expect((await near.listRecords(here)).map(({ outcome }) => outcome)).toEqual(['started'])
      near.model.reply(['I would rather not.'])
      const next = await here.send(chatId, 'What now?')
      await next.ended
      expect(near.model.requests.at(-1)?.body.messages).toMatchObject([
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
        { tool_call_id: 'a', content: expect.stringContaining('may or may not have finished') as string },
        { tool_call_id: 'b', content: 'This call was not made.' },
        { role: 'user' },
      ])
    },
    leaseMs * 6,
  )
})
