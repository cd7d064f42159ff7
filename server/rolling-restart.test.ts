import { applyEvent, emptyRun, type RunState } from '@yonder/contract/apply-event'
import { textOfContent } from '@yonder/contract/message-text'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestStream } from './testing/chat/open-stream.ts'
import { isConcurrent, openTestDatabase, type TestDatabase } from './testing/database/test-database.ts'
import { SignInSession } from './testing/identity/sign-in-session.ts'
import { startScriptedModel, type Gate, type ScriptedModel } from './testing/models/scripted-model.ts'
import { createRequestClient, overHttp, type RequestClient } from './testing/send-request.ts'
import { startBalancer, type Balancer } from './testing/start-balancer.ts'
import { startMain, type MainProcess } from './testing/start-main.ts'

describe.runIf(isConcurrent('postgres'))('two servers on PostgreSQL that are restarted one by one', () => {
  let database: TestDatabase
  let model: ScriptedModel
  let balancer: Balancer
  let nodes: readonly [MainProcess, MainProcess]
  let ada: RequestClient
  let authorization: string

  beforeAll(async () => {
    database = await openTestDatabase('postgres')
    model = await startScriptedModel()
    balancer = await startBalancer()
    const settings = {
      LOG_LEVEL: 'warn',
      PUBLIC_URL: balancer.url,
      DATABASE_URL: database.location.databaseUrl ?? '',
      SECRET_KEY: 'the same secret of both servers, long enough',
      DRAIN_SECONDS: '24',
      DEFAULT_MODEL_BASE_URL: model.baseUrl,
      DEFAULT_BOTS: JSON.stringify([{ name: 'Helper', model: 'scripted' }]),
    }
    nodes = await Promise.all([startMain(settings), startMain(settings)])
    balancer.nodes = nodes.map(({ port }) => port)
    const { access_token } = await new SignInSession(balancer.url).join()
    authorization = `Bearer ${access_token}`
    ada = createRequestClient(overHttp(balancer.url), { authorization })
  }, 60_000)
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.remove()))
    balancer.close()
    await model.close()
    await database.close()
  })

  interface Reply {
    readonly chatId: string
    readonly gates: readonly [Gate, Gate]
    /** The numbers of the events that its reader has received, in this order. */
    readonly numbers: number[]
    run: RunState
    readonly ended: Promise<void>
  }

  /** Requests a reply from one server, and follows it as a browser does, from whichever server the balancer chooses. */
  async function begin(node: MainProcess, name: string): Promise<Reply> {
    const gates = [model.gate(), model.gate()] as const
    model.when(name, ['One ', gates[0], 'two ', gates[1], 'three', { finish: 'stop' }])
    const { id: chatId } = (await ada.get('/api/chat/id')).json<{ id: string }>()
    const direct = createRequestClient(overHttp(node.base), {
      authorization,
      host: new URL(balancer.url).host,
      prefer: 'respond-async',
    })
    const body = { chatId, botName: 'Helper', content: name }
    expect((await direct.post('/api/chat/completions', body)).statusCode).toBe(202)
    const ended = Promise.withResolvers<void>()
    const reply: Reply = { chatId, gates, numbers: [], run: emptyRun, ended: ended.promise }
    follow(reply).then(ended.resolve, ended.reject)
    return reply
  }

  async function follow(reply: Reply): Promise<void> {
    while (reply.run.status === 'running') {
      const after = reply.numbers.at(-1) ?? 0
      const stream = await ada.stream(`/api/chat/${reply.chatId}/stream?after=${after}`)
      const take = (from: number, { events }: TestStream) => {
        for (const event of events.slice(from)) {
          reply.numbers.push(event.seq)
          reply.run = applyEvent(reply.run, event)
        }
        return events.length
      }
      let taken = 0
      await Promise.race([
        stream.ended,
        stream.until((current) => {
          taken = take(taken, current)
          return false
        }),
      ]).catch(() => undefined)
      take(taken, stream)
    }
  }

  const textOf = ({ messages }: RunState) => textOfContent(messages.at(-1)?.content ?? '')

  it('interrupt none of ten replies and repeat none, and their readers miss nothing', async () => {
    const replies = await Promise.all(
      nodes.map((node, index) =>
        Promise.all(Array.from({ length: 5 }, (_, at) => begin(node, `Reply ${index}${at}.`))),
      ),
    )
    const all = replies.flat()
    const shown = (text: string) =>
      expect.poll(() => all.map(({ run }) => textOf(run))).toEqual(all.map(() => text))
    await shown('One ')

    for (const [index, node] of nodes.entries()) {
      const exited = node.end('SIGTERM')
      await expect.poll(async () => (await fetch(`${node.base}/readyz`)).status).toBe(503)
      // Requests reach the other server, and so do the readers of the replies that still run here.
      expect((await ada.get('/api/chat/id')).statusCode).toBe(200)
      if (index === 0) {
        for (const { gates } of all) gates[0].open()
        await shown('One two ')
      }
      for (const { gates } of replies[index] ?? []) gates[1].open()
      await Promise.all((replies[index] ?? []).map(({ ended }) => ended))
      expect(await exited).toBe(0)
      if (index === 0) await node.restart()
    }
    for (const { run, numbers } of all)
      expect([textOf(run), run.status, numbers]).toEqual([
        'One two three',
        'complete',
        numbers.map((_, at) => at + 1),
      ])
    expect(model.requests).toHaveLength(10)
    await nodes[1].restart()
    for (const { chatId } of all) {
      const { messages } = (await ada.get(`/api/chats/${chatId}`)).json<{ messages: { content: string }[] }>()
      expect(textOfContent(messages[1]?.content ?? '')).toBe('One two three')
    }
  }, 120_000)
})
