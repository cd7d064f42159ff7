import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { apiTypes, type ApiType } from '@yonder/contract/bot'
import { errorCodes } from '@yonder/contract/error'
import { textOfContent } from '@yonder/contract/message-text'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../../testing/chat/open-chat-app.ts'
import { listTables } from '../../testing/database/list-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { hostileFaults } from '../../testing/models/hostile-faults.ts'
import { startHostileModel, type HostileModel } from '../../testing/models/hostile-model.ts'

const key = 'sk-canary-4f1d9a77c2e84b0fa6d2'

/** Faults that end only with a stop, or after minutes. */
const endless = ['no-answer', 'silence', 'silence-after-text', 'drip', 'hang-after-finish', 'hang-after-done']

/** Faults after which no format yields a complete reply. */
const failing = [
  'bad-chunk',
  'long-length',
  'not-http',
  'closed-early',
  'cut',
  'no-end',
  'broken-json',
  'broken-json-at-end',
  'html',
  'html-as-stream',
  'plain',
  'json-error',
  'empty',
  'no-content',
  'error-after-text',
  'gzip',
  'redirect',
  'redirect-inside',
  'huge-event',
  'endless',
  'refuse-key',
  'forbidden',
  'echo',
  'not-found',
  'rate-limit-huge',
  'cut-tool',
]

describe.each(engines)('a hostile provider on %s', (engine) => {
  let product: ChatApp
  let hostile: HostileModel
  let ada: ChatClient
  const seen: string[] = []

  beforeAll(async () => {
    hostile = await startHostileModel()
    product = await openChatApp({ engine })
    product.model.when('And now?', ['fine', { finish: 'stop' }])
    ada = await product.join()
  })
  afterAll(async () => {
    await product.close()
    await hostile.close()
  })

  async function beginChat(apiType: ApiType, fault: string) {
    const botName = `${apiType} ${fault}`
    const bot = { name: botName, model: fault, base_url: hostile.baseUrl, api_key: key, api_type: apiType }
    const made = await ada.post('/api/bot', bot)
    expect(made.statusCode, made.body).toBe(201)
    const chatId = await ada.newChat()
    const stream = await ada.complete({ botName, chatId, content: `What of ${fault}?` })
    return { chatId, stream }
  }

  /** Expects that the stored reply equals the streamed one, that the run has ended, and that the chat continues. */
  async function expectEnded(what: string, { chatId, stream }: Awaited<ReturnType<typeof beginChat>>) {
    await stream.ended
    expect(stream.raw.endsWith('data: [DONE]\n\n'), what).toBe(true)
    const chat = await ada.readChat(chatId)
    expect(chat.run, what).toBeNull()
    expect(chat.messages, what).toEqual(stream.run.messages)
    const reply = chat.messages[1]
    const next = await ada.send(chatId, 'And now?')
    await next.ended
    expect([what, next.status, next.text], next.raw).toEqual([what, 200, 'fine'])
    seen.push(stream.raw, next.raw, JSON.stringify(chat))
    return reply
  }

  // The formats differ only before anything is stored, so one of them is enough on the second engine.
  it.each(engine === 'sqlite' ? apiTypes : (['openai'] as const))(
    'with the format %s fails the reply with its reason, and the next message is accepted (§8.7)',
    async (apiType) => {
      const faults = apiType === 'openai' ? Object.keys(hostileFaults) : failing
      // The faults run at the same time, because some take several seconds.
      const replies = await Promise.all(
        faults
          .filter((fault) => !endless.includes(fault))
          .map(async (fault) => [fault, await expectEnded(fault, await beginChat(apiType, fault))] as const),
      )
      for (const [fault, reply] of replies) {
        const content = textOfContent(reply?.content ?? '')
        if (reply?.status === 'failed') {
          expect(errorCodes, fault).toContain(reply.error?.code)
          expect(reply.error?.code, fault).not.toBe('internal')
          expect(content, fault).toBe(`**Error:** ${reply.error?.message}`)
        } else {
          expect([fault, reply?.status, reply?.error]).toEqual([fault, 'complete', undefined])
          expect(content !== '' || reply?.call !== undefined, fault).toBe(true)
        }
      }
      const failed = replies.filter(([, reply]) => reply?.status === 'failed').map(([fault]) => fault)
      expect(failed).toEqual(expect.arrayContaining(failing.filter((fault) => faults.includes(fault))))
      for (const fault of faults.filter((each) => each.endsWith('-once'))) expect(failed).not.toContain(fault)
      expect(hostile.followedRedirects).toBe(0)
    },
    60_000,
  )

  it('that never ends its reply can be stopped, and the text is kept', async () => {
    await Promise.all(
      endless.slice(0, 4).map(async (fault) => {
        const started = await beginChat('openai', fault)
        await expect.poll(() => hostile.requestedFaults).toContain(fault)
        if (fault === 'silence-after-text') await started.stream.until(({ text }) => text === 'partial')
        expect((await ada.post('/api/chat/stop', { chatId: started.chatId })).statusCode).toBe(200)
        const reply = await expectEnded(fault, started)
        expect([fault, reply?.status]).toEqual([fault, 'stopped'])
        expect(reply?.content, fault).toBe(fault === 'silence-after-text' ? 'partial' : '')
      }),
    )
    await expect.poll(() => hostile.openRequests).toBe(0)
  })

  it('leaves no reply in the streaming state and reveals no key', async () => {
    const { db, location } = product.database
    const open = await db.selectFrom('messages').select('id').where('status', '=', 'streaming').execute()
    const running = await db.selectFrom('runs').select('id').where('status', '=', 'running').execute()
    expect([open, running]).toEqual([[], []])
    for (const url of ['/api/bots', '/api/chats?search=canary', '/api/chats?limit=100'])
      seen.push((await ada.get(url)).body)
    // The tables of the search index cannot be selected from. They are covered by reading the files below.
    for (const name of await listTables(product.database)) {
      if (name.includes('search')) continue
      seen.push(JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(db)).rows))
    }
    if (engine === 'sqlite') {
      for (const file of readdirSync(location.dataDir))
        seen.push(readFileSync(join(location.dataDir, file), 'latin1'))
    }
    expect(seen.length).toBeGreaterThan(100)
    expect(seen.join('')).toContain('Incorrect API key provided')
    for (const text of seen) {
      expect(text.includes(key)).toBe(false)
      // The mask shows the first and the last characters of the key, so the middle must not occur either.
      expect(text.includes(key.slice(6, -6))).toBe(false)
    }
  })
})
