import { afterEach, describe, expect, it } from 'vitest'
import { createChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../../testing/chat/open-tool-app.ts'
import { startChatNode, type ChatNode } from '../../testing/chat/start-chat-node.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'
import { statusAndBody } from '../../testing/send-request.ts'
import { leaseMs } from '../log/run-store.ts'

/** Milliseconds that the other process may take to start and to load the client for tools. */
const maxStartMs = 20_000
const slowTest = { timeout: 3 * maxStartMs }

describe.each(engines)('a tool call that runs on another server, on %s', (engine) => {
  let local: ToolApp
  let remote: ChatNode | undefined
  afterEach(async () => {
    await remote?.kill()
    await local.close()
  })

  async function open(behaviour: string, allow_tools: readonly string[] | null = null) {
    local = await openToolApp({ engine })
    const here = await local.join()
    await local.connect(here, behaviour, { name: 'tools', allow_tools })
    remote = await startChatNode(local.database, here, local.model.baseUrl)
    return { here, there: createChatClient(remote.base, here), kill: remote.kill }
  }

  const expectCalled = () =>
    expect.poll(() => local.countCalls('silent-call'), { timeout: maxStartMs }).toBe(1)

  it.runIf(isConcurrent(engine))(
    'can be approved on this server, and shown and stopped on the other',
    slowTest,
    async () => {
      const { here, there } = await open('silent-call', [])
      local.model.reply([callOf('tools', 'act')])
      const chatId = await there.newChat()
      const sent = await there.send(chatId, 'Hang')
      await sent.ended
      const confirmed = await here.confirm(waitingCall(chatId, sent))
      await expectCalled()
      const following = await there.follow(chatId)
      await following.until(({ run }) => run.messages[1]?.call?.state === 'running')
      expect((await there.readChat(chatId)).messages[1]?.call?.state).toBe('running')
      expect(statusAndBody(await there.post('/api/tool/confirm', waitingCall(chatId, sent)))).toMatchObject({
        status: 409,
      })
      await there.post('/api/chat/stop', { chatId })
      await Promise.all([confirmed.ended, following.ended])
      expect(following.run).toEqual(confirmed.run)
      expect(following.run.status).toBe('stopped')
      expect((await there.readChat(chatId)).messages).toEqual(following.run.messages)
      expect(await local.countCalls('silent-call')).toBe(1)
    },
  )

  it.runIf(isConcurrent(engine))(
    'receives the answer to its elicitation from this server',
    slowTest,
    async () => {
      const { here, there } = await open('elicitation')
      local.model.reply([callOf('tools', 'act')])
      local.model.reply(['Answered.'])
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
    'gets a result that it may have finished when the other server is killed, and never runs again',
    async () => {
      const { here, there, kill } = await open('silent-call')
      local.model.reply([callOf('tools', 'act', {}, 'aaaaaaaaa'), callOf('tools', 'act', {}, 'bbbbbbbbb')])
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
      expect(await local.countCalls('silent-call')).toBe(1)
      expect((await local.listRecords(here)).map(({ outcome }) => outcome)).toEqual(['started'])
      local.model.reply(['I would rather not.'])
      const next = await here.send(chatId, 'What now?')
      await next.ended
      expect(local.model.requests.at(-1)?.body.messages).toMatchObject([
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'aaaaaaaaa' }, { id: 'bbbbbbbbb' }] },
        {
          tool_call_id: 'aaaaaaaaa',
          content: expect.stringContaining('may or may not have finished') as string,
        },
        { tool_call_id: 'bbbbbbbbb', content: 'This call was not made.' },
        { role: 'assistant', content: '[No reply]' },
        { role: 'user' },
      ])
    },
    leaseMs * 6,
  )
})
