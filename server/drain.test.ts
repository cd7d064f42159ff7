import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DrainOptions } from './drain.ts'
import { openChatApp, type ChatApp, type ChatClient } from './testing/chat/open-chat-app.ts'
import { openLiveStream } from './testing/chat/open-live-stream.ts'
import { hashTables } from './testing/database/hash-tables.ts'
import { engines } from './testing/database/test-database.ts'

describe.each(engines)('a server that is about to end, on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  let ended: AbortController
  beforeEach(async () => {
    product = await openChatApp({ engine })
    ada = await product.join()
    ended = new AbortController()
  })
  afterEach(() => product.close())

  const drain = (options: Partial<DrainOptions> = {}) =>
    product.app.drain({
      maxMs: 60_000,
      findOther: () => Promise.resolve(true),
      noticeMs: 0,
      signal: ended.signal,
      ...options,
    })

  /** Starts a reply that waits in its middle until the gate opens. */
  async function beginReply() {
    const gate = product.model.gate()
    product.model.reply(['One ', gate, 'two', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Hi')
    await stream.until(({ text }) => text === 'One ')
    return { gate, chatId, stream }
  }

  it('lets replies end, takes no new ones, and hands its readers over', async () => {
    const { gate, chatId, stream } = await beginReply()
    const [tab, follower] = [await openLiveStream(product.base, ada.headers), await ada.follow(chatId)]
    const other = await ada.newChat()
    const isDrained = drain()
    await Promise.all([tab.ended, follower.ended])
    expect(follower.raw).toMatch(/retry: \d+\n\n$/)
    expect(follower.raw).not.toContain('"ended"')

    const ready = await ada.get('/readyz')
    expect([ready.statusCode, ready.json()]).toMatchObject([503, { error: { code: 'restarting' } }])
    const before = await hashTables(product.database)
    for (const refused of [
      await ada.post('/api/chat/completions', { chatId: other, botName: 'Helper', content: 'Hi' }),
      await ada.get('/api/live'),
      await ada.get(`/api/chat/${chatId}/stream`),
    ]) {
      expect(refused.statusCode).toBe(503)
      expect(refused.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
      expect(refused.json()).toMatchObject({ error: { code: 'restarting' } })
    }
    expect(await hashTables(product.database)).toEqual(before)
    const chat = await ada.get(`/api/chats/${chatId}`)
    expect([chat.statusCode, chat.headers['connection']]).toEqual([200, 'close'])

    gate.open()
    await stream.ended
    expect([stream.text, stream.events.at(-1)]).toMatchObject(['One two', { status: 'complete' }])
    await isDrained
    await expect(fetch(product.base)).rejects.toThrow()
  })

  it('keeps its readers when there is no other server', async () => {
    const { gate, chatId } = await beginReply()
    const tab = await openLiveStream(product.base, ada.headers)
    const isDrained = drain({ findOther: () => Promise.resolve(false) })
    gate.open()
    await tab.until(() => tab.run(chatId).status === 'complete')
    expect(JSON.stringify(tab.runEvents(chatId))).toContain('two')
    await isDrained
    tab.leave()
  })

  it('ends what runs as interrupted after its time, or with a second signal', async () => {
    for (const options of [{ maxMs: 50 }, {}]) {
      const { stream } = await beginReply()
      const isDrained = drain(options)
      if (options.maxMs === undefined) ended.abort()
      await isDrained
      await product.close()
      await stream.ended
      expect([stream.text, stream.events.at(-1)]).toMatchObject(['One ', { status: 'interrupted' }])
      product = await openChatApp({ engine })
      ada = await product.join()
    }
  })
})
