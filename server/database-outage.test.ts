import type { Chat } from '@yonder/contract/chat'
import { textOfContent } from '@yonder/contract/message-text'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestStream } from './testing/chat/open-stream.ts'
import { startOwnPostgres, type OwnPostgres } from './testing/database/own-postgres.ts'
import { engines, isConcurrent } from './testing/database/test-database.ts'
import { SignInSession } from './testing/identity/sign-in-session.ts'
import { startScriptedModel, type Gate, type ScriptedModel } from './testing/models/scripted-model.ts'
import { createRequestClient, overHttp, type RequestClient } from './testing/send-request.ts'
import { startMain, type MainProcess } from './testing/start-main.ts'

const replies = 8

interface Reply {
  readonly chatId: string
  readonly stream: TestStream
}

describe.runIf(engines.includes('postgres') && isConcurrent('postgres'))('an outage of PostgreSQL', () => {
  let postgres: OwnPostgres
  let model: ScriptedModel
  let product: MainProcess
  let ada: RequestClient
  let rounds = 0

  beforeAll(async () => {
    postgres = await startOwnPostgres()
    model = await startScriptedModel()
    product = await startMain({
      LOG_LEVEL: 'warn',
      DATABASE_URL: postgres.url,
      DEFAULT_MODEL_BASE_URL: model.baseUrl,
      DEFAULT_BOTS: JSON.stringify([{ name: 'Helper', model: 'scripted' }]),
    })
    const { access_token } = await new SignInSession(product.base).join()
    ada = createRequestClient(overHttp(product.base), { authorization: `Bearer ${access_token}` })
  }, 120_000)

  afterAll(async () => {
    await product.remove()
    await model.close()
    await postgres.stop()
  })

  const words = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => [`${from + index} `, { delay: 5 }]).flat()

  /** Starts replies that send text until `gate` opens and then some more, and waits for the first text of each. */
  async function beginReplies(gate: Gate): Promise<Reply[]> {
    rounds += 1
    const content = `Count in round ${rounds}.`
    model.when(content, [...words(0, 60), gate, ...words(60, 90), { finish: 'stop' }])
    return Promise.all(
      Array.from({ length: replies }, async () => {
        const { id: chatId } = (await ada.get('/api/chat/id')).json<{ id: string }>()
        const stream = await ada.stream('/api/chat/completions', { chatId, botName: 'Helper', content })
        await stream.until(({ text }) => text !== '')
        return { chatId, stream }
      }),
    )
  }

  /** Each reply must be complete, in the stream and in the database, without a gap or a repetition. */
  async function expectComplete(begun: readonly Reply[]): Promise<void> {
    const whole = Array.from({ length: 90 }, (_, index) => `${index} `).join('')
    for (const { chatId, stream } of begun) {
      await stream.ended
      expect(stream.text).toBe(whole)
      expect(stream.events.at(-1)).toMatchObject({ type: 'ended', status: 'complete' })
      expect(stream.events.map(({ seq }) => seq)).toEqual(stream.events.map((_, index) => index + 1))
      const chat = (await ada.get(`/api/chats/${chatId}`)).json<Chat>()
      expect(chat.messages[1]).toMatchObject({ status: 'complete', content: whole })
    }
  }

  /** Sends reads and writes, six at a time, until `ended` resolves. Returns the statuses of the responses. */
  async function request(ended: Promise<void>): Promise<ReadonlySet<number>> {
    const statuses = new Set<number>()
    const progress = { isEnded: false }
    const end = ended.finally(() => (progress.isEnded = true))
    const sendInTurn = async (): Promise<void> => {
      while (!progress.isEnded) {
        for (const path of ['/api/bots', '/api/chat/id', '/api/chats?page=1', '/api/mcp-servers'])
          statuses.add((await ada.get(path)).statusCode)
      }
    }
    await Promise.all([end, ...Array.from({ length: 6 }, sendInTurn)])
    return statuses
  }

  it.each(Array.from({ length: 12 }, (_, index) => (index % 3 === 2 ? 'immediate' : 'fast')))(
    'continues every reply and serves requests after a restart (%s)',
    async (mode) => {
      const { pid } = product
      const gate = model.gate()
      const begun = await beginReplies(gate)
      const restarted = postgres.restart(mode)
      const statuses = await request(restarted)
      gate.open()
      await expectComplete(begun)
      expect([product.alive, product.pid]).toEqual([true, pid])
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
    },
    120_000,
  )

  it('continues every reply when the server ends all connections, many times', async () => {
    const admin = new pg.Client({ connectionString: postgres.url })
    admin.on('error', () => undefined)
    await admin.connect()
    for (let round = 0; round < 5; round++) {
      const gate = model.gate()
      const begun = await beginReplies(gate)
      const terminated = (async () => {
        for (let count = 0; count < 20; count++) {
          await admin.query(
            'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
          )
        }
      })()
      const statuses = await request(terminated)
      gate.open()
      await expectComplete(begun)
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
    }
    await admin.end()
    expect(product.alive).toBe(true)
  }, 120_000)

  it('is not ready while the database is read-only', async () => {
    const admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    const ready = async (): Promise<unknown> => (await fetch(`${product.base}/readyz`)).json()
    const setReadOnly = async (value: string) => {
      await admin.query(`alter system set default_transaction_read_only = ${value}`)
      await admin.query('select pg_reload_conf()')
    }
    await setReadOnly('on')
    // Each session reads the setting when it is next idle.
    await expect.poll(ready).toMatchObject({
      error: { message: expect.stringContaining('The database is read-only.') as string },
    })
    await admin.query('set default_transaction_read_only = off')
    await setReadOnly('off')
    await expect.poll(ready).toEqual({ status: 'ready' })
    await admin.end()
  })

  it('is reported by /readyz and by a 503 with Retry-After, and ends when the server is back', async () => {
    const gate = model.gate()
    const begun = await beginReplies(gate)
    await postgres.pause()
    const get = (path: string) => fetch(`${product.base}${path}`)
    expect((await get('/healthz')).status).toBe(200)
    const ready = await get('/readyz')
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await ready.json()).toMatchObject({
      error: { message: expect.stringContaining('does not respond') },
    })
    const refused = await ada.get('/api/bots')
    expect(refused.statusCode).toBe(503)
    expect(refused.json()).toMatchObject({ error: { code: 'unavailable' } })
    gate.open()
    await postgres.restart('fast')
    await expectComplete(begun)
    expect((await get('/readyz')).status).toBe(200)
    expect((await ada.get('/api/bots')).statusCode).toBe(200)
  }, 120_000)

  it('does not keep the server from ending when it is asked to', async () => {
    const gate = model.gate()
    const begun = await beginReplies(gate)
    await postgres.signal('SIGSTOP')
    expect(await product.end('SIGTERM')).toBe(0)
    expect(product.output()).toContain('ended before everything was closed')
    await postgres.signal('SIGCONT')
    await product.restart()
    for (const { chatId, stream } of begun) {
      const chat = (await ada.get(`/api/chats/${chatId}`)).json<Chat>()
      expect(textOfContent(chat.messages[1]?.content ?? '').startsWith(stream.text)).toBe(true)
    }
  }, 120_000)
})
