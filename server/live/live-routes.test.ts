import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AppError } from '../lib/app-error.ts'
import { botName, openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { openLiveStream } from '../testing/chat/open-live-stream.ts'
import { engines } from '../testing/database/test-database.ts'

describe.each(engines)('live updates on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join()
  })
  afterAll(() => product.close())

  const listen = (client: ChatClient) => openLiveStream(product.base, client.headers)

  it('send every event of a reply to each browser, exactly as the stream of the request', async () => {
    const tabs = await Promise.all([listen(ada), listen(ada)])
    for (const tab of tabs) expect(tab.events()).toEqual([{ type: 'ready', runs: [] }])
    product.model.reply(['Hello', { delay: 80 }, ' there', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const sent = await ada.send(chatId, 'Hi')
    await sent.ended
    const messageId = sent.run.messages[1]?.id
    for (const tab of tabs) {
      await tab.until(() => tab.run(chatId).status === 'complete')
      expect(tab.runEvents(chatId)).toEqual(
        sent.events.map((event) => ({ type: 'run', chatId, messageId, event })),
      )
      tab.leave()
    }
  })

  it('are counted by the metrics while they are open', async () => {
    const count = async () => {
      const { body } = await product.app.inject({ url: '/metrics', headers: { host: 'localhost' } })
      return Number(/^yonder_live_streams (\d+)$/m.exec(body)?.[1])
    }
    const none = () => vi.waitFor(async () => expect(await count()).toBe(0))
    await none()
    const tabs = await Promise.all([listen(ada), listen(await product.join('Eve')), listen(ada)])
    expect(await count()).toBe(3)
    for (const tab of tabs) tab.leave()
    await none()
  })

  it('start with the active runs and send every later event', async () => {
    const gate = product.model.gate()
    product.model.reply(['Before', gate, ' after', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const sent = await ada.send(chatId, 'Hi')
    await sent.until(({ text }) => text === 'Before')
    const late = await listen(ada)
    const messageId = sent.run.messages[1]?.id
    expect(late.events()[0]).toEqual({ type: 'ready', runs: [{ chatId, messageId, seq: sent.run.seq }] })
    const countBefore = sent.events.length
    gate.open()
    await sent.ended
    await late.until(() => late.runEvents(chatId).at(-1)?.event.type === 'ended')
    expect(late.runEvents(chatId).map(({ event }) => event)).toEqual(sent.events.slice(countBefore))
    late.leave()
  })

  it('report new chats, a selected branch, and a stop in another tab', async () => {
    const tab = await listen(ada)
    const gate = product.model.gate()
    product.model.reply(['One', { finish: 'stop' }])
    product.model.reply(['Two', gate, { finish: 'stop' }])
    const chatId = await ada.newChat()
    await tab.until(() => tab.events().some((event) => event.type === 'chat_changed'))
    expect(tab.events().at(-1)).toEqual({ type: 'chat_changed', chatId })
    const first = await ada.send(chatId, 'Hi')
    await first.ended
    const [question, reply] = first.run.messages
    const second = await ada.complete({ chatId, userMessageId: question?.id, botName })
    await tab.until(() => tab.text(chatId) === 'Two')
    await ada.post('/api/chat/stop', { chatId })
    await second.ended
    await tab.until(() => tab.run(chatId).status === 'stopped')
    const countBefore = tab.events().length
    await ada.post('/api/chat/select-response', { chatId, messageId: reply?.id })
    await tab.until(() => tab.events().length > countBefore)
    expect(tab.events().slice(countBefore)).toEqual([{ type: 'chat_changed', chatId }])
    gate.open()
    tab.leave()
  })

  it('contain nothing of another user, and require a signed-in user', async () => {
    const eve = await product.join('Eve')
    const eveTab = await listen(eve)
    product.model.reply(['A secret', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const sent = await ada.send(chatId, 'Hi')
    await sent.ended
    await ada.post('/api/chat/select-response', { chatId, messageId: sent.run.messages[0]?.id })
    const own = await eve.newChat()
    await eveTab.until(() => eveTab.events().length > 1)
    expect(eveTab.events()).toEqual([
      { type: 'ready', runs: [] },
      { type: 'chat_changed', chatId: own },
    ])
    eveTab.leave()
    for (const authorization of ['', 'Bearer nobody']) {
      const refused = await openLiveStream(product.base, { ...ada.headers, authorization })
      expect(refused.status).toBe(401)
    }
  })

  it('say why a run cannot be stored any more, and send its end when its lease has expired', async () => {
    const tab = await listen(ada)
    const gate = product.model.gate()
    product.model.reply(['Half', gate, 'more', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const sent = await ada.send(chatId, 'Hi')
    await tab.until(() => tab.text(chatId) === 'Half')
    const append = vi.spyOn(product.database.dialect, 'appendRunEvents').mockRejectedValue(new Error('full'))
    vi.useFakeTimers({ toFake: ['Date'] })
    gate.open()
    // After the third call, the first failure is recorded.
    await vi.waitFor(() => expect(append.mock.calls.length).toBeGreaterThan(2))
    vi.setSystemTime(Date.now() + 9_000)
    await tab.until(() => tab.events().some(({ type }) => type === 'run_lost'))
    vi.useRealTimers()
    append.mockRestore()
    expect(tab.events().find(({ type }) => type === 'run_lost')).toEqual({
      type: 'run_lost',
      chatId,
      messageId: sent.run.messages[1]?.id,
      error: { code: 'storage_full', message: expect.any(String) as string },
    })
    await product.database.db
      .updateTable('runs')
      .set({ lease_until: 0 })
      .where('chat_id', '=', chatId)
      .execute()
    await tab.until(() => tab.run(chatId).status === 'interrupted')
    expect(tab.text(chatId)).toBe('Half')
    tab.leave()
  })

  it('limit the open streams of a user', async () => {
    const many = await product.join('Many')
    const tabs = await Promise.all(Array.from({ length: 50 }, () => listen(many)))
    expect(tabs.map(({ status }) => status)).toEqual(tabs.map(() => 200))
    expect((await listen(many)).status).toBe(429)
    for (const tab of tabs) tab.leave()
    await expect
      .poll(async () => {
        const next = await listen(many)
        next.leave()
        return next.status
      })
      .toBe(200)
  })
})

it('a live stream ends with its session, but not when the identity provider is unreachable', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const product = await openChatApp()
  try {
    const ada = await product.join()
    const tab = await openLiveStream(product.base, ada.headers)
    const verify = vi.spyOn(product.deps.identity, 'verify')
    verify.mockRejectedValueOnce(new AppError('identity_unavailable', 'Not now.'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(verify).toHaveBeenCalledOnce()
    verify.mockRestore()
    const chatId = await ada.newChat()
    await tab.until(() =>
      tab.events().some((event) => event.type === 'chat_changed' && event.chatId === chatId),
    )
    vi.spyOn(product.deps.identity, 'verify').mockRejectedValue(
      new AppError('unauthenticated', 'Signed out.'),
    )
    await vi.advanceTimersByTimeAsync(60_000)
    await tab.ended
  } finally {
    vi.useRealTimers()
    await product.close()
  }
})

it('live streams end when the server shuts down, also without an active run', async () => {
  const product = await openChatApp()
  const ada = await product.join()
  const tab = await openLiveStream(product.base, ada.headers)
  await product.close()
  await tab.ended
})
