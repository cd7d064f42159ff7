import type { Chat } from '@yonder/contract/chat'
import { textOfContent } from '@yonder/contract/message-text'
import { afterEach, describe, expect, it } from 'vitest'
import type { TestStream } from './testing/chat/open-stream.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from './testing/database/test-database.ts'
import { SignInSession } from './testing/identity/sign-in-session.ts'
import { startScriptedModel, type ScriptedModel } from './testing/models/scripted-model.ts'
import { createRequestClient, overHttp, type RequestClient } from './testing/send-request.ts'
import { startMain, type MainProcess } from './testing/start-main.ts'

describe.each(engines.filter(isConcurrent))('the process on %s', (engine) => {
  let database: TestDatabase | undefined
  let model: ScriptedModel
  let product: MainProcess
  let ada: RequestClient
  afterEach(async () => {
    await product.remove()
    await model.close()
    await database?.close()
  })

  async function open(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    model = await startScriptedModel()
    database = engine === 'postgres' ? await openTestDatabase(engine) : undefined
    const databaseUrl = database?.location.databaseUrl ?? ''
    product = await startMain({
      LOG_LEVEL: 'warn',
      DATABASE_URL: databaseUrl,
      DEFAULT_MODEL_BASE_URL: model.baseUrl,
      DEFAULT_BOTS: JSON.stringify([{ name: 'Helper', model: 'scripted' }]),
      ...settings,
    })
    const { access_token } = await new SignInSession(product.base).join()
    ada = createRequestClient(overHttp(product.base), { authorization: `Bearer ${access_token}` })
  }

  /** Starts a reply that takes a minute, and waits for its first text. */
  async function beginReply(): Promise<{ chatId: string; stream: TestStream }> {
    model.reply(Array.from({ length: 3_000 }, (_, at) => [`${at} `, { delay: 20 }]).flat())
    const { id: chatId } = (await ada.get('/api/chat/id')).json<{ id: string }>()
    const stream = await ada.stream('/api/chat/completions', { chatId, botName: 'Helper', content: 'Count' })
    await stream.until(({ text }) => text.includes('15 '))
    return { chatId, stream }
  }

  it('keeps what was shown when it is killed, and ends replies as interrupted when it is stopped', async () => {
    await open()
    const killed = await beginReply()
    await product.end('SIGKILL')
    await killed.stream.ended
    await product.restart()
    // The same token is still valid, and the data is unchanged.
    const [, partial] = (await ada.get(`/api/chats/${killed.chatId}`)).json<Chat>().messages
    expect(killed.stream.text).toContain('15 ')
    expect(textOfContent(partial?.content ?? '').startsWith(killed.stream.text)).toBe(true)

    const stopped = await beginReply()
    const code = await product.end('SIGTERM')
    expect([code, product.output()]).toEqual([0, expect.not.stringMatching(/unhandled|"level":[56]0/i)])
    await stopped.stream.ended
    expect(stopped.stream.events.at(-1)).toMatchObject({ type: 'ended', status: 'interrupted' })
    expect(stopped.stream.raw.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(model.openRequests).toBe(0)
    await product.restart()
    const chat = (await ada.get(`/api/chats/${stopped.chatId}`)).json<Chat>()
    expect(chat.run).toBeNull()
    expect(chat.messages).toEqual(stopped.stream.run.messages)
    expect(chat.messages[1]).toMatchObject({ status: 'interrupted', content: stopped.stream.text })
  }, 60_000)

  it('logs an error that nothing handles, and goes on with all replies', async () => {
    // On SIGUSR2, a timer throws, an emitter has no listener for its error, and a promise has no handler.
    const faults = `import { EventEmitter } from 'node:events'
      process.on('SIGUSR2', () => {
        setTimeout(() => { throw new Error('thrown in a timer') })
        setTimeout(() => new EventEmitter().emit('error', new Error('emitted without a listener')))
        Promise.reject(new Error('rejected without a handler'))
      })`
    await open({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(faults)}` })
    const { chatId, stream } = await beginReply()
    process.kill(product.pid, 'SIGUSR2')
    for (const text of ['thrown in a timer', 'emitted without a listener', 'rejected without a handler'])
      await expect.poll(product.output).toContain(text)
    const shown = stream.text.length
    await stream.until(({ text }) => text.length > shown)
    expect((await ada.post('/api/chat/stop', { chatId })).statusCode).toBe(200)
    await stream.ended
    expect(stream.events.at(-1)).toMatchObject({ type: 'ended', status: 'stopped' })
    expect(product.alive).toBe(true)
  }, 60_000)
})
