import { join } from 'node:path'
import type { Chat } from '@yonder/contract/chat'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sqliteFileName } from './db/open-database.ts'
import { startSqliteLocker, type SqliteLocker } from './testing/database/lock-sqlite.ts'
import { SignInSession } from './testing/identity/sign-in-session.ts'
import { startScriptedModel, type ScriptedModel } from './testing/models/scripted-model.ts'
import { createRequestClient, overHttp, type RequestClient } from './testing/send-request.ts'
import { startMain, type MainProcess } from './testing/start-main.ts'

describe('a lock of another process on the SQLite file', () => {
  let model: ScriptedModel
  let product: MainProcess
  let locker: SqliteLocker
  let ada: RequestClient

  beforeAll(async () => {
    model = await startScriptedModel()
    product = await startMain({
      LOG_LEVEL: 'warn',
      DEFAULT_MODEL_BASE_URL: model.baseUrl,
      DEFAULT_BOTS: JSON.stringify([{ name: 'Helper', model: 'scripted' }]),
    })
    locker = await startSqliteLocker(join(product.dataDir, sqliteFileName))
    const { access_token } = await new SignInSession(product.base).join()
    ada = createRequestClient(overHttp(product.base), { authorization: `Bearer ${access_token}` })
  }, 60_000)

  afterEach(() => locker.unlock())

  afterAll(async () => {
    await locker.close()
    await product.remove()
    await model.close()
  })

  const get = (path: string) => fetch(`${product.base}${path}`)
  const newBot = (name: string) => ada.post('/api/bot', { name, model: 'scripted' })
  const listBots = async () =>
    (await ada.get('/api/bots')).json<readonly { name: string }[]>().map(({ name }) => name)

  async function beginReply(content: string) {
    const { id: chatId } = (await ada.get('/api/chat/id')).json<{ id: string }>()
    const stream = await ada.stream('/api/chat/completions', { chatId, botName: 'Helper', content })
    await stream.until(({ text }) => text !== '')
    return { chatId, stream }
  }

  it('lets reads go on, refuses writes after a while, and lets replies continue when it ends', async () => {
    const gate = model.gate()
    const words = Array.from({ length: 60 }, (_, index) => [`${index} `, { delay: 5 }]).flat()
    model.when('Count', [...words, gate, 'and the end', { finish: 'stop' }])
    const replies = await Promise.all([beginReply('Count to 60'), beginReply('Count to sixty')])
    const before = await listBots()
    await locker.lock()

    let isRefused = false
    const refused = newBot('refused').finally(() => (isRefused = true))
    const [{ chatId }] = replies
    for (let round = 0; round < 5; round++) {
      for (const path of ['/api/bots', `/api/chats/${chatId}`, '/api/chats?page=1', '/api/mcp-servers'])
        expect((await ada.get(path)).statusCode).toBe(200)
      expect((await get('/healthz')).status).toBe(200)
    }
    // A write that blocks the thread would have ended before these reads.
    expect(isRefused).toBe(false)
    const response = await refused
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5'])
    expect(response.json()).toEqual({
      error: {
        code: 'unavailable',
        message: 'Another process has locked the database, so nothing was changed. Try again in a moment.',
      },
    })
    const ready = await get('/readyz')
    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain('Another process has locked the database')
    expect(await listBots()).toEqual(before)

    gate.open()
    await locker.unlock()
    for (const { chatId, stream } of replies) {
      await stream.ended
      const whole = `${Array.from({ length: 60 }, (_, index) => `${index} `).join('')}and the end`
      expect(stream.text).toBe(whole)
      expect(stream.events.map(({ seq }) => seq)).toEqual(stream.events.map((_, index) => index + 1))
      const chat = (await ada.get(`/api/chats/${chatId}`)).json<Chat>()
      expect(chat.messages[1]).toMatchObject({ status: 'complete', content: whole })
    }
    expect((await get('/readyz')).status).toBe(200)
    expect(await listBots()).toEqual(before)
  }, 60_000)

  it('delays a write until it ends', async () => {
    await locker.lock()
    let isWritten = false
    const written = newBot('delayed').finally(() => (isWritten = true))
    // The write has arrived before these reads, and waits. Without waiting it would have ended, with or without
    // success.
    for (let round = 0; round < 5; round++) expect(await listBots()).not.toContain('delayed')
    expect(isWritten).toBe(false)
    await locker.unlock()
    expect((await written).statusCode).toBe(201)
    expect(await listBots()).toContain('delayed')
  }, 60_000)
})
