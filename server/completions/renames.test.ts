import type { Bot } from '@yonder/contract/bot'
import type { MessageUsage, UsageReport } from '@yonder/contract/usage/usage-report'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { botName, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { engines } from '../testing/database/test-database.ts'
import { addCompaction } from '../testing/factories/chats.ts'
import { readExport } from '../testing/files/read-export.ts'

const today = 'from=2026-01-01&to=2026-12-31&time_zone=UTC'

describe.each(engines)('after a rename, on %s', (engine) => {
  let product: ToolApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolApp({ engine, deps: { now: () => Date.UTC(2026, 5, 1) } })
  })
  beforeEach(async () => {
    ada = await product.join()
  })
  afterAll(() => product.close())

  const renameBot = (name: string, next: string) =>
    ada.put(`/api/bot/${name}`, { name: next, model: 'scripted' })
  const renameConnector = (name: string, next: string) =>
    ada.put(`/api/mcp-server/${name}`, { name: next, url: product.mcpServer.url('polite') })

  async function send(content: string, chatId?: string) {
    const id = chatId ?? (await ada.newChat())
    const stream = await ada.send(id, content)
    await stream.ended
    return { chatId: id, stream }
  }

  async function readNames(chatId: string) {
    const { messages } = await ada.readChat(chatId)
    return messages.map(({ bot, server }) => [bot, server])
  }

  const exportData = () => readExport(product.database, ada.user.subject)

  describe('of a bot', () => {
    const namesOfBot = async (chatId: string, replyId: string) => {
      const { messages, compactions } = await ada.readChat(chatId)
      const usage = (await ada.get(`/api/chats/${chatId}/usage?messageIds=${replyId}`)).json<MessageUsage>()
      const report = (await ada.get(`/api/usage?${today}`)).json<UsageReport>()
      const csv = (await ada.get(`/api/usage.csv?${today}`)).body
      const data = await exportData()
      return [
        messages[1]?.bot,
        compactions?.[0]?.bot,
        usage.calls[0]?.bot,
        report.bots[0]?.bot,
        /^2026-06-01,([^,]*),/m.exec(csv)?.[1],
        (data.jsonOf('usage.json') as { bot: string }[])[0]?.bot,
        data.chats[0]?.messages[1]?.bot,
      ]
    }

    it('everything shows its new name; once it is deleted, the name that it had then', async () => {
      product.model.reply(['Hello.'])
      const { chatId, stream } = await send('Hi')
      const replyId = stream.run.messages[1]?.id ?? ''
      const { id } = await product.database.db
        .selectFrom('bots')
        .select('id')
        .where('user_id', '=', ada.user.id)
        .executeTakeFirstOrThrow()
      await addCompaction(product.database.db, {
        chat_id: chatId,
        message_id: replyId,
        bot_id: id,
        bot: botName,
      })
      await renameBot(botName, 'Eagle')
      expect(await namesOfBot(chatId, replyId)).toEqual(Array.from({ length: 7 }, () => 'Eagle'))
      await ada.delete('/api/bot/Eagle')
      expect(await namesOfBot(chatId, replyId)).toEqual(Array.from({ length: 7 }, () => botName))
      // Another bot of the former name is another bot.
      await ada.post('/api/bot', { name: botName, model: 'scripted' })
      await renameBot(botName, 'Other')
      expect(await namesOfBot(chatId, replyId)).toEqual(Array.from({ length: 7 }, () => botName))
    })

    it('a reply that is being written has its new name, and the chat goes on under it', async () => {
      const gate = product.model.gate()
      product.model.reply(['One', gate, ' two.'])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Hi')
      await stream.until(() => stream.text === 'One')
      await renameBot(botName, 'Eagle')
      const running = await ada.readChat(chatId)
      expect(running.run).not.toBeNull()
      expect(running.messages[1]).toMatchObject({ bot: 'Eagle', content: 'One' })
      gate.open()
      await stream.ended
      expect((await ada.readChat(chatId)).messages[1]).toMatchObject({ bot: 'Eagle', content: 'One two.' })
      product.model.reply(['Three.'])
      const next = await ada.send(chatId, 'And?', { botName: 'Eagle' })
      await next.ended
      expect(next.text).toBe('Three.')
      expect((await ada.complete({ chatId, botName, content: 'Hi' })).status).toBe(404)
    })
  })

  describe('of a connector', () => {
    beforeEach(() => product.connect(ada, 'polite'))

    async function requestCall(args: object = {}) {
      product.model.reply([callOf('polite', 'act', args)])
      const { chatId, stream } = await send('Do it')
      return waitingCall(chatId, stream)
    }

    async function confirm(call: Parameters<ChatClient['confirm']>[0]) {
      product.model.reply(['Done.'])
      const stream = await ada.confirm(call)
      await stream.ended
      return stream
    }

    it('a waiting call is shown with the new name, and is confirmed with it', async () => {
      const { messageId: _, ...call } = await requestCall()
      await renameConnector('polite', 'Courteous')
      const chatId = call.chatId ?? ''
      expect((await ada.readChat(chatId)).messages[1]).toMatchObject({ server: 'Courteous', tool: 'act' })
      expect((await ada.confirm(call)).status).toBe(409)
      const confirmed = await confirm({ ...call, server: 'Courteous' })
      expect(confirmed.text).toBe('Done.')
      expect(confirmed.run.messages[2]).toMatchObject({ server: 'Courteous', outcome: { status: 'done' } })
      expect(await readNames(chatId)).toEqual([
        [undefined, undefined],
        [botName, 'Courteous'],
        [undefined, 'Courteous'],
        [botName, undefined],
      ])
    })

    it('a confirmation with the former name fits by its message, also when another connector has that name', async () => {
      const call = await requestCall()
      const before = await product.countCalls('polite')
      await renameConnector('polite', 'Courteous')
      await product.connect(ada, 'many', { name: 'polite' })
      const confirmed = await confirm(call)
      expect(confirmed.run.messages[2]).toMatchObject({ server: 'Courteous', outcome: { status: 'done' } })
      expect(await product.countCalls('polite')).toBe(before + 1)
      expect(await product.countCalls('many')).toBe(0)
    })

    it('a confirmation with a name that the connector never had is refused', async () => {
      const call = await requestCall()
      await renameConnector('polite', 'Courteous')
      expect((await ada.confirm({ ...call, server: 'default' })).status).toBe(409)
      expect((await ada.confirm({ ...call, server: 'nothing' })).status).toBe(409)
    })

    it('a denial is recorded for it, and the records show its new name, and its last one once it is deleted', async () => {
      const { chatId = '' } = await requestCall()
      await renameConnector('polite', 'Courteous')
      product.model.reply(['Then not.'])
      await send('No.', chatId)
      const { calls } = (await ada.get('/api/mcp-server/Courteous/calls')).json<{ calls: object[] }>()
      expect(calls).toMatchObject([{ connector: 'Courteous', approval: 'denied' }])
      await renameConnector('Courteous', 'Kind')
      expect((await exportData()).jsonOf('tool_calls.json')).toMatchObject([{ connector: 'Kind' }])
      await ada.delete('/api/mcp-server/Kind')
      expect((await exportData()).jsonOf('tool_calls.json')).toMatchObject([{ connector: 'Courteous' }])
      expect((await readNames(chatId))[1]).toEqual([botName, 'polite'])
    })

    it.each(['polite', 'Courteous'])('a turn goes on from its result under the name %s', async (server) => {
      const call = await requestCall()
      const confirmed = await confirm(call)
      await renameConnector('polite', 'Courteous')
      const parentId = confirmed.run.messages[2]?.id
      const again = await ada.complete({ chatId: call.chatId, content: '', server, parentId })
      await again.ended
      expect(again.text).toBe('Done.')
    })

    it('its bots and the tools that were left out show its new name', async () => {
      await product.connect(ada, 'many', { name: 'Large' })
      await ada.put(`/api/bot/${botName}`, { name: botName, model: 'scripted', connectors: ['Large'] })
      product.model.reply(['Hi.'])
      const { chatId } = await send('Hi')
      await ada.put('/api/mcp-server/Large', { name: 'Huge', url: product.mcpServer.url('many') })
      expect((await ada.get('/api/bots')).json<Bot[]>()[0]?.connectors).toEqual(['Huge'])
      expect((await ada.readChat(chatId)).messages[1]?.left_out_tools).toMatchObject({
        connectors: [{ server: 'Huge' }],
      })
      // The same tools are left out, so the next reply does not say it again.
      product.model.reply(['Yes.'])
      const next = await send('Still?', chatId)
      expect(next.stream.run.messages[1]?.left_out_tools).toBeUndefined()
    })
  })
})
