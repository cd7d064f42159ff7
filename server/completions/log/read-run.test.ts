import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import { textOfContent } from '@yonder/contract/message-text'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../../testing/chat/open-chat-app.ts'
import { engines } from '../../testing/database/test-database.ts'
import { logRetentionMs, removeOldLogs } from '../maintenance/run-maintenance.ts'

describe.each(engines)('following a run on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join()
  })
  afterAll(() => product.close())

  const counting = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => [`${from + index} `, { delay: 10 }]).flat()

  it('sends all events after the given one, without gaps or repetitions, with id lines', async () => {
    const gate = product.model.gate()
    product.model.reply([...counting(0, 30), gate, ...counting(30, 50), { finish: 'stop' }])
    const chatId = await ada.newChat()
    const first = await ada.send(chatId, 'Count')
    await first.until(({ text }) => text.includes('29 '))
    const tabs = await Promise.all(first.events.map(({ seq }) => ada.follow(chatId, seq)))
    const header = await ada.follow(chatId, undefined, { 'last-event-id': '2' })
    gate.open()
    await Promise.all([first, header, ...tabs].map((stream) => stream.ended))
    for (const [index, tab] of tabs.entries()) {
      expect(tab.events).toEqual(first.events.slice(index + 1))
      expect(tab.raw).toMatch(/^id: \d+\ndata: \{/)
    }
    expect(header.events).toEqual(first.events.slice(2))
    const whole = await ada.follow(chatId)
    await whole.ended
    expect(whole.events).toEqual(first.events)
    expect(whole.raw.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('continues after a reload from the text that the chat returned', async () => {
    product.model.reply([...counting(0, 120), { finish: 'stop' }])
    const chatId = await ada.newChat()
    const first = await ada.send(chatId, 'Count')
    let shown = ''
    for (let reload = 0; reload < 20; reload++) {
      const shownEvents = first.events.length
      await first.until(({ events }) => events.length > shownEvents || events.at(-1)?.type === 'ended')
      const chat = await ada.readChat(chatId)
      const content = textOfContent(chat.messages[1]?.content ?? '')
      expect(content.startsWith(shown)).toBe(true)
      shown = content
      if (chat.run === null) continue
      const rest = await ada.follow(chatId, chat.run.seq)
      if (reload % 2 === 0) await rest.until(({ events }) => events.length > 0)
      else await rest.ended
      const folded = rest.events.reduce(applyEvent, {
        ...emptyRun,
        seq: chat.run.seq,
        messages: chat.messages,
      })
      shown = textOfContent(folded.messages[1]?.content ?? '')
      rest.leave()
    }
    await first.ended
    expect((await ada.readChat(chatId)).messages).toEqual(first.run.messages)
    expect(first.text.startsWith(shown)).toBe(true)
  })

  it('sends a large backlog completely', async () => {
    const line = `${'x'.repeat(9_999)}\n`
    product.model.reply([...Array.from({ length: 90 }, () => line), { finish: 'stop' }])
    const chatId = await ada.newChat()
    await (
      await ada.send(chatId, 'Much')
    ).ended
    const again = await ada.follow(chatId, 0)
    await again.ended
    expect(again.text).toBe(line.repeat(90))
  })

  it('is refused when there is no run, after the last event, and ten minutes after the end of the run', async () => {
    const chatId = await ada.newChat()
    const refuse = async (after?: number, headers?: Record<string, string>) => {
      const stream = await ada.follow(chatId, after, headers)
      await stream.ended
      return [stream.status, (JSON.parse(stream.raw) as { error: { code: string } }).error.code]
    }
    expect(await refuse()).toEqual([409, 'not_resumable'])
    await (
      await ada.send(chatId, 'Hi')
    ).ended
    expect(await refuse(1_000)).toEqual([409, 'not_resumable'])
    expect(await refuse(undefined, { 'last-event-id': 'x' })).toEqual([400, 'invalid_request'])
    expect(await refuse(-1)).toEqual([400, 'invalid_request'])
    const { database } = product
    await database.db
      .updateTable('runs')
      .set({ ended_at: Date.now() - logRetentionMs - 1 })
      .where('chat_id', '=', chatId)
      .execute()
    expect(await refuse(0)).toEqual([409, 'not_resumable'])
    await removeOldLogs({ database, now: Date.now })
    const left = await database.db.selectFrom('runs').select('id').where('chat_id', '=', chatId).execute()
    expect(left).toEqual([])
    expect(await refuse(0)).toEqual([409, 'not_resumable'])
    expect((await ada.readChat(chatId)).messages[1]?.status).toBe('complete')
  })

  it('ends when the log is removed meanwhile; a repeated message is then replayed from the stored messages', async () => {
    const { database } = product
    const chatId = await ada.newChat()
    const first = await ada.send(chatId, 'Hi', { id: 'once' })
    await first.ended
    const ended = database.db.updateTable('runs').where('chat_id', '=', chatId)
    await database.db
      .deleteFrom('run_events')
      .where('run_id', 'in', database.db.selectFrom('runs').select('id').where('chat_id', '=', chatId))
      .execute()
    const bare = await ada.follow(chatId, 0)
    await bare.ended
    expect(bare.events).toEqual([])
    await ended.set({ ended_at: Date.now() - logRetentionMs - 1 }).execute()
    const requestsBefore = product.model.requests.length
    const repeated = await ada.send(chatId, 'Hi', { id: 'once' })
    await repeated.ended
    expect(repeated.text).toBe(first.text)
    expect(product.model.requests).toHaveLength(requestsBefore)
  })

  it('sends only the events of the given reply', async () => {
    const chatId = await ada.newChat()
    const first = await ada.send(chatId, 'one')
    await first.ended
    await (
      await ada.send(chatId, 'two')
    ).ended
    const reply = first.run.messages[1]?.id ?? ''
    const latest = await ada.follow(chatId, undefined, {})
    await latest.ended
    expect(latest.run.messages[0]?.content).toBe('two')
    const named = await ada.get(`/api/chat/${chatId}/stream?messageId=nothing`)
    expect(named.statusCode).toBe(409)
    const stream = await ada.followUrl(`/api/chat/${chatId}/stream?after=0&messageId=${reply}`)
    await stream.ended
    expect(stream.events).toEqual(first.events)
  })

  it('is refused beyond 50 open streams of a user, also by repeating the message, while new messages are streamed', async () => {
    const many = await product.join('Many')
    const gate = product.model.gate()
    product.model.reply(['One', gate, { finish: 'stop' }])
    const [chatId, otherChatId] = [await many.newChat(), await many.newChat()]
    const own = await many.send(chatId, 'Hi')
    await own.until(({ text }) => text === 'One')
    const tabs = await Promise.all(Array.from({ length: 49 }, () => many.follow(chatId)))
    expect(tabs.map(({ status }) => status)).toEqual(tabs.map(() => 200))
    expect((await many.follow(chatId)).status).toBe(429)
    expect((await many.send(chatId, 'Hi', { id: own.run.messages[0]?.id })).status).toBe(429)
    expect((await many.readChat(chatId)).messages).toHaveLength(2)
    product.model.reply(['Two', { finish: 'stop' }])
    const other = await many.send(otherChatId, 'Hi')
    await other.ended
    expect(other.text).toBe('Two')
    gate.open()
    await Promise.all([own, ...tabs].map((stream) => stream.ended))
    expect((await many.follow(chatId)).status).toBe(200)
  })

  it('is refused for another user, also with an event id', async () => {
    const gate = product.model.gate()
    product.model.reply(['secret', gate, { finish: 'stop' }])
    const chatId = await ada.newChat()
    const own = await ada.send(chatId, 'Hi')
    await own.until(({ text }) => text === 'secret')
    const eve = await product.join('Eve')
    for (const headers of [{}, { 'last-event-id': '1' }]) {
      const stream = await eve.follow(chatId, undefined, headers)
      await stream.ended
      expect(stream.status).toBe(404)
      expect(stream.raw).not.toContain('secret')
    }
    gate.open()
    await own.ended
  })
})
