import { setTimeout as wait } from 'node:timers/promises'
import type { RunAccepted } from '@yonder/contract/completion'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countChatRows } from '../testing/chat/count-chat-rows.ts'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { openLiveStream } from '../testing/chat/open-live-stream.ts'
import { engines } from '../testing/database/test-database.ts'
import { statusAndBody } from '../testing/send-request.ts'

const problem = (code: string) => ({ error: { code, message: expect.any(String) as string } })

describe.each(engines)('completions on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join('Ada')
  })
  afterAll(() => product.close())

  const countRows = (chatId: string) => countChatRows(product.database.db, chatId)

  describe('a request with the preference respond-async', () => {
    const headers = { prefer: 'wait=5, Respond-Async' }
    const post = (path: string, body: object) => ada.post(path, { botName: 'Helper', ...body }, headers)

    it('is answered with the first event of the run, whose other events are in the live stream', async () => {
      const tab = await openLiveStream(product.base, ada.headers)
      product.model.reply(['Hello', { finish: 'stop' }])
      const chatId = await ada.newChat()
      const response = await post('/api/chat/completions', { chatId, id: 'one', content: 'Hi' })
      expect(response.statusCode).toBe(202)
      expect(response.headers['preference-applied']).toBe('respond-async')
      const { started, ...rest } = response.json<RunAccepted>()
      expect(rest).toEqual({ chatId })
      expect(started).toMatchObject({ type: 'started', seq: 1, user_message: { id: 'one', content: 'Hi' } })
      await tab.until(() => tab.run(chatId).status === 'complete')
      expect(tab.runEvents(chatId)[0]?.event).toEqual(started)
      expect(tab.text(chatId)).toBe('Hello')
      tab.leave()
    })

    it('is answered without an event when it repeats another one', async () => {
      const chatId = await ada.newChat()
      const before = product.model.requests.length
      product.model.reply(['Hello', { finish: 'stop' }])
      for (const started of [expect.anything() as unknown, null]) {
        const response = await post('/api/chat/completions', { chatId, id: 'one', content: 'Hi' })
        expect(statusAndBody(response)).toEqual({ status: 202, body: { chatId, started } })
        await expect.poll(async () => (await ada.readChat(chatId)).run).toBeNull()
      }
      expect(product.model.requests.length).toBe(before + 1)
    })

    it('is refused like any other request', async () => {
      const chatId = await ada.newChat()
      const refused = await post('/api/chat/completions', { chatId, content: ' ' })
      expect(statusAndBody(refused)).toEqual({ status: 400, body: problem('invalid_request') })
      const unknown = await post('/api/tool/confirm', { chatId, server: 'none', tool: 'none', args: {} })
      expect(statusAndBody(unknown)).toEqual({ status: 409, body: problem('conflict') })
    })
  })

  describe('a new message', () => {
    it('is followed by a stream of data lines that ends with the end marker (§7.11, §7.30, §7.31)', async () => {
      product.model.reply(['Hello', { delay: 120 }, ' there', { finish: 'stop' }])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Hi')
      await stream.ended
      expect(stream.status).toBe(200)
      expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
      expect(stream.headers['cache-control']).toBe('no-store, no-transform')
      expect(stream.headers['x-accel-buffering']).toBe('no')
      const blocks = stream.raw.split('\n\n').slice(0, -1)
      for (const block of blocks) expect(block).toMatch(/^data: [^\n]+$/)
      expect(blocks.at(-1)).toBe('data: [DONE]')
      expect(stream.raw.endsWith('\n\n')).toBe(true)
      expect(stream.text).toBe('Hello there')
      expect(stream.events.map((event) => event.seq)).toEqual(stream.events.map((_, index) => index + 1))
      expect(stream.events[0]?.type).toBe('started')
      expect(stream.events.at(-1)).toMatchObject({ type: 'ended', status: 'complete' })
    })

    it('is followed by events with the text in choices[0].delta.content and the name of the model (§7.34, §7.35)', async () => {
      product.model.reply(['One', { finish: 'stop' }])
      const stream = await ada.send(await ada.newChat(), 'Hi')
      await stream.ended
      const lines = stream.raw
        .split('\n\n')
        .filter((block) => block.startsWith('data: {'))
        .map((block) => JSON.parse(block.slice(6)) as Record<string, unknown>)
      expect(lines).toContainEqual(expect.objectContaining({ choices: [{ delta: { content: 'One' } }] }))
      expect(lines).toContainEqual(expect.objectContaining({ type: 'model', model: 'scripted' }))
    })

    it('is stored with its reply exactly as streamed (§3.3, §3.5, §3.6, §3.9)', async () => {
      const named = { model: 'scripted', provider: 'Wood', choices: [] }
      product.model.reply([
        { raw: `data: ${JSON.stringify(named)}\n\n` },
        { reasoning: 'Let me think' },
        'The ',
        'answer',
        { usage: { prompt_tokens: 3, completion_tokens: 5 } },
        { finish: 'stop' },
      ])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Why?')
      await stream.ended
      const chat = await ada.readChat(chatId)
      expect(chat.id).toBe(chatId)
      expect(new Date(chat.update_time).toISOString()).toBe(chat.update_time)
      expect(chat.messages).toEqual(stream.run.messages)
      expect(chat.messages[0]).toMatchObject({ role: 'user', parent_id: null })
      expect(chat.messages[1]).toMatchObject({
        role: 'assistant',
        parent_id: chat.messages[0]?.id,
        model: 'scripted',
        provider: 'Wood',
        content: 'The answer',
        reasoning: 'Let me think',
        usage: { input_tokens: 3, output_tokens: 5 },
        status: 'complete',
        bot: 'Helper',
      })
      expect(chat.selected_message_id).toBe(chat.messages[1]?.id)
      expect(chat.run).toBeNull()
    })

    it('is stored as one text when its content has parts (§3.7)', async () => {
      const chatId = await ada.newChat()
      const stream = await ada.complete({
        chatId,
        content: [{ type: 'text', text: 'in ' }, { text: 'parts' }],
      })
      await stream.ended
      expect((await ada.readChat(chatId)).messages[0]?.content).toBe('in parts')
    })

    it('is sent to the model with its path, without error messages', async () => {
      const chatId = await ada.newChat()
      product.model.reply([{ status: 400, body: { error: { message: 'no such model' } } }])
      await (
        await ada.send(chatId, 'first')
      ).ended
      product.model.reply(['partial', { delay: 50 }, { cut: true }])
      await (
        await ada.send(chatId, 'second')
      ).ended
      product.model.reply(['fine', { finish: 'stop' }])
      await (
        await ada.send(chatId, 'third')
      ).ended
      expect(product.model.requests.at(-1)?.body.messages).toEqual([
        { role: 'user', content: 'first\n\nsecond' },
        { role: 'assistant', content: 'partial' },
        { role: 'user', content: 'third' },
      ])
    })

    it('streams the first text at once and merges what follows', async () => {
      const gate = product.model.gate()
      product.model.reply(['a', gate, ...Array.from({ length: 200 }, () => 'b'), { finish: 'stop' }])
      const stream = await ada.send(await ada.newChat(), 'Hi')
      await stream.until(({ text }) => text === 'a')
      gate.open()
      await stream.ended
      expect(stream.text).toBe(`a${'b'.repeat(200)}`)
      expect(stream.events.filter((event) => event.type === 'text').length).toBeLessThan(20)
    })

    it.each([
      ['blank content', { content: ' \n\t ' }, 400, 'invalid_request'],
      ['no content', {}, 400, 'invalid_request'],
      ['a part that is not text', { content: [{ text: 'Hi' }, { type: 'image' }] }, 400, 'invalid_request'],
      ['a file of no chat', { content: [{ text: 'Hi', file: { id: 'x' } }] }, 400, 'invalid_request'],
      ['an unknown bot', { content: 'Hi', botName: 'Nobody' }, 404, 'not_found'],
      ['an unknown chat', { content: 'Hi', chatId: 'nowhere' }, 404, 'not_found'],
      ['a chat id that is a path', { content: 'Hi', chatId: '../x' }, 400, 'invalid_request'],
      ['an unknown parent', { content: 'Hi', parentId: 'nothing' }, 404, 'not_found'],
      ['an id that is too long', { content: 'Hi', id: 'x'.repeat(65) }, 400, 'invalid_request'],
    ])('is refused with %s, and nothing is written', async (_what, body, status, code) => {
      const chatId = await ada.newChat()
      const before = product.model.requests.length
      const stream = await ada.complete({ chatId, ...body })
      await stream.ended
      expect(stream.status).toBe(status)
      expect(stream.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(JSON.parse(stream.raw)).toEqual(problem(code))
      expect(await countRows(chatId)).toEqual({ messages: 0, runs: 0 })
      expect(product.model.requests.length).toBe(before)
    })

    it('is accepted only after a reply of the same chat, or at its start', async () => {
      const chatId = await ada.newChat()
      const first = await ada.send(chatId, 'one', { id: 'm1' })
      await first.ended
      const elsewhere = await ada.newChat()
      const foreign = await ada.send(elsewhere, 'two', { parentId: first.run.messages[1]?.id })
      await foreign.ended
      expect(foreign.status).toBe(404)
      expect(await countRows(elsewhere)).toEqual({ messages: 0, runs: 0 })
      const underUser = await ada.send(chatId, 'three', { parentId: 'm1' })
      await underUser.ended
      expect(underUser.status).toBe(400)
      expect(await countRows(chatId)).toEqual({ messages: 2, runs: 1 })
      const sibling = await ada.send(chatId, 'edited', { parentId: null })
      await sibling.ended
      expect(sibling.run.messages[0]).toMatchObject({ content: 'edited', parent_id: null })
    })

    it('has a time later than every other message of its chat, in both formats (§3.8)', async () => {
      const chatId = await ada.newChat()
      for (const text of ['a', 'b', 'c']) await (await ada.send(chatId, text)).ended
      const { messages } = await ada.readChat(chatId)
      for (const { timestamp, unix_timestamp } of messages)
        expect(timestamp).toBe(new Date(unix_timestamp).toISOString())
      const times = messages.map((message) => message.unix_timestamp)
      expect(times.length).toBe(6)
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
    })
  })

  describe('regenerating a reply', () => {
    it('creates a sibling reply and selects it (§4.24)', async () => {
      const chatId = await ada.newChat()
      product.model.reply(['first', { finish: 'stop' }])
      const first = await ada.send(chatId, 'Hi', { id: 'm1' })
      await first.ended
      product.model.reply(['second', { finish: 'stop' }])
      const second = await ada.complete({ chatId, userMessageId: 'm1' })
      await second.ended
      const chat = await ada.readChat(chatId)
      expect(chat.messages.map(({ parent_id, content }) => [parent_id, content])).toEqual([
        [null, 'Hi'],
        ['m1', 'first'],
        ['m1', 'second'],
      ])
      expect(chat.selected_message_id).toBe(second.run.messages[1]?.id)
      expect(product.model.requests.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'Hi' }])
    })

    it('is refused for a reply and for an unknown message, and writes nothing', async () => {
      const chatId = await ada.newChat()
      const sent = await ada.send(chatId, 'Hi')
      await sent.ended
      for (const [userMessageId, status] of [
        [sent.run.messages[1]?.id, 400],
        ['nothing', 404],
      ] as const) {
        const refused = await ada.complete({ chatId, userMessageId })
        await refused.ended
        expect(refused.status).toBe(status)
      }
      expect(await countRows(chatId)).toEqual({ messages: 2, runs: 1 })
    })
  })

  describe('a failure', () => {
    it('of the model is sent as an error event, and the reply shows the error and keeps its partial text (§7.32, §8.7)', async () => {
      const chatId = await ada.newChat()
      product.model.reply(['half an ans', { delay: 80 }, { cut: true }])
      const stream = await ada.send(chatId, 'Hi')
      await stream.ended
      expect(stream.events.slice(-2)).toMatchObject([
        { type: 'error', error: { code: 'upstream_cut' } },
        { type: 'ended', status: 'failed' },
      ])
      const reply = (await ada.readChat(chatId)).messages[1]
      expect(reply).toEqual(stream.run.messages[1])
      expect(reply?.content).toBe(`**Error:** ${reply?.error?.message}`)
      expect(reply?.partial).toBe('half an ans')
      const row = await product.database.db
        .selectFrom('messages')
        .select('content')
        .where('id', '=', reply?.id ?? '')
        .executeTakeFirstOrThrow()
      expect(row.content).toBe('half an ans')
    })

    it('ends a reply that is too long, and the request to the model', async () => {
      const big = 'x'.repeat(100_000)
      product.model.reply([...Array.from({ length: 12 }, () => big), { finish: 'stop' }])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Go on')
      await stream.ended
      expect(stream.text.length).toBe(1_000_000)
      expect(stream.run.messages[1]).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
      expect((await ada.readChat(chatId)).messages[1]?.partial?.length).toBe(1_000_000)
    })

    it('does not prevent the next message', async () => {
      const chatId = await ada.newChat()
      product.model.reply([{ status: 500, body: {} }, 'x'])
      product.model.reply([{ status: 500, body: {} }])
      product.model.reply([{ status: 500, body: {} }])
      product.model.reply([{ status: 500, body: {} }])
      await (
        await ada.send(chatId, 'one')
      ).ended
      const next = await ada.send(chatId, 'two')
      await next.ended
      expect(next.status).toBe(200)
    })

    it('due to the output limit is stored with the complete reply', async () => {
      product.model.reply(['cut sh', { finish: 'length' }])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Hi')
      await stream.ended
      expect(stream.run.messages[1]).toMatchObject({
        status: 'complete',
        finish: 'length',
        content: 'cut sh',
      })
      expect((await ada.readChat(chatId)).messages[1]?.finish).toBe('length')
    })
  })

  describe('a run', () => {
    it('uses the settings that the bot had when the run started', async () => {
      const gate = product.model.gate()
      product.model.reply(['a', gate, 'b', { finish: 'stop' }])
      await ada.post('/api/bot', { name: 'Brief', model: 'old' })
      const stream = await ada.send(await ada.newChat(), 'Hi', { botName: 'Brief' })
      await stream.until(({ text }) => text === 'a')
      expect((await ada.delete('/api/bot/Brief')).statusCode).toBe(204)
      gate.open()
      await stream.ended
      expect(stream.text).toBe('ab')
      expect(product.model.requests.at(-1)?.body.model).toBe('old')
    })

    it('continues when the client disconnects, even before the first token', async () => {
      const gate = product.model.gate()
      product.model.reply([gate, 'all ', { delay: 100 }, 'of it', { finish: 'stop' }])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Hi')
      stream.leave()
      gate.open()
      await expect.poll(async () => (await ada.readChat(chatId)).messages[1]?.content).toBe('all of it')
      await expect.poll(async () => (await ada.readChat(chatId)).run).toBeNull()
    })

    it('is returned with the chat: its text so far and the number of its last event', async () => {
      const gate = product.model.gate()
      product.model.reply(['so far', gate, ' so good', { finish: 'stop' }])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Hi')
      await stream.until(({ text }) => text === 'so far')
      const chat = await ada.readChat(chatId)
      expect(chat.messages[1]).toMatchObject({ content: 'so far', status: 'streaming' })
      expect(chat.run).toEqual({ message_id: chat.messages[1]?.id, seq: stream.run.seq })
      gate.open()
      await stream.ended
      await wait(0)
      expect((await ada.readChat(chatId)).messages[1]?.content).toBe('so far so good')
    })
  })
})
