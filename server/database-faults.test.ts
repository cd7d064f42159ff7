import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from '@yonder/contract/message'
import { textOfMessage } from '@yonder/contract/message-text'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from './db/database.ts'
import { openPostgres } from './db/dialects/postgres.ts'
import { migrate } from './db/migrate.ts'
import { newId } from './lib/new-id.ts'
import { createChatClient, type ChatClient } from './testing/chat/open-chat-app.ts'
import type { TestStream } from './testing/chat/open-stream.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from './testing/chat/open-tool-app.ts'
import { startChatNode, type ChatNode } from './testing/chat/start-chat-node.ts'
import { startOwnPostgres, type OwnPostgres } from './testing/database/own-postgres.ts'
import { startFaultProxy, type FaultProxy } from './testing/database/start-fault-proxy.ts'
import { engines, isConcurrent } from './testing/database/test-database.ts'
import type { Gate } from './testing/models/scripted-model.ts'
import { faultRounds } from './testing/models/strict/soak-runs.ts'

/*
 * Two servers share a PostgreSQL, each through a proxy of its own. Every round starts chats that wait at the steps of a
 * run, then something fails, and all steps are taken while it does. Clients repeat what was not accepted, as browsers
 * do. In the end, nothing that a client saw or was told may be untrue. `npm run soak` plays many rounds of each.
 */

/** Milliseconds in which everything has ended: a lease, its check, and the limits of statements. */
const maxEndMs = 90_000
const limits = { maxWaitMs: 3_000, maxStatementMs: 2_000, echoIntervalMs: 500 }

/** A number generator with a seed, so that a failed round can be played again. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** What one client saw and was told about one chat. */
interface Story {
  readonly client: ChatClient
  readonly chatId: string
  readonly name: string
  readonly gate: Gate
  readonly streams: TestStream[]
  /** The responses to Stop. */
  readonly stops: boolean[]
}

describe.runIf(engines.includes('postgres') && isConcurrent('postgres'))(
  'two servers and a database that fails',
  () => {
    let postgres: OwnPostgres
    let proxies: FaultProxy[]
    let direct: Database
    let database: Database
    let admin: pg.Client
    let product: ToolApp
    let here: ChatClient
    let remote: ChatNode
    let there: ChatClient
    let count = 0
    const dataDir = mkdtempSync(join(tmpdir(), 'yonder-faults-'))

    beforeAll(async () => {
      postgres = await startOwnPostgres()
      proxies = await Promise.all([startFaultProxy(postgres.url), startFaultProxy(postgres.url)])
      direct = openPostgres(postgres.url)
      await migrate(direct)
      database = openPostgres(proxies[0]?.url ?? '', limits)
      const location = { dataDir, databaseUrl: proxies[1]?.url ?? '' }
      product = await openToolApp({ database: { ...database, location } })
      here = await product.join('Ada')
      await product.connect(here, 'polite', { name: 'asks', allow_tools: [] })
      await product.connect(here, 'polite', { name: 'runs', allow_tools: null })
      await startRemote()
    }, 120_000)

    afterAll(async () => {
      await remote.kill()
      await product.close()
      await Promise.all([database.close(), direct.close()])
      await Promise.all(proxies.map((proxy) => proxy.close()))
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    })

    async function startRemote(): Promise<void> {
      remote = await startChatNode(product.database, here, product.model.baseUrl, limits)
      there = createChatClient(remote.base, here)
    }

    const isReady = async (base: string) => (await fetch(`${base}/readyz`)).ok
    const untilReady = async (value: boolean, ...bases: string[]): Promise<void> => {
      for (const base of bases)
        await expect.poll(() => isReady(base), { timeout: maxEndMs, interval: 50 }).toBe(value)
    }

    const faults = {
      'connections die silently': { begin: async () => proxies.forEach((proxy) => proxy.silence()) },
      'connections are cut': { begin: async () => proxies.forEach((proxy) => proxy.cut()) },
      'the network is away': {
        async begin() {
          for (const proxy of proxies) {
            proxy.silence()
            proxy.blackhole()
          }
          await untilReady(false, product.base, remote.base)
        },
        async end() {
          for (const proxy of proxies) proxy.accept()
        },
      },
      'one server is cut off': {
        async begin() {
          proxies[1]?.silence()
          proxies[1]?.blackhole()
          await untilReady(false, remote.base)
        },
        async end() {
          proxies[1]?.accept()
        },
      },
      'PostgreSQL is restarted': { begin: () => postgres.restart('fast') },
      'PostgreSQL crashes': { begin: () => postgres.restart('immediate') },
      'PostgreSQL is frozen': {
        async begin() {
          await postgres.signal('SIGSTOP')
          await untilReady(false, product.base, remote.base)
        },
        end: () => postgres.signal('SIGCONT'),
      },
      'PostgreSQL is read-only': {
        async begin() {
          admin = new pg.Client({ connectionString: postgres.url })
          await admin.connect()
          await admin.query('set default_transaction_read_only = off')
          await setReadOnly('on')
          await untilReady(false, product.base, remote.base)
        },
        async end() {
          await setReadOnly('off')
          await admin.end()
        },
      },
      'a server is killed': { begin: () => remote.kill(), end: startRemote },
      'a server is frozen': {
        async begin() {
          remote.signal('SIGSTOP')
          // The other one ends its runs.
          await expect
            .poll(() => listRuns(['streaming there']), { timeout: maxEndMs, interval: 200 })
            .not.toContain('running')
        },
        end: async () => remote.signal('SIGCONT'),
      },
    } satisfies Readonly<Record<string, { begin(): Promise<void>; end?(): Promise<void> }>>

    async function setReadOnly(value: 'on' | 'off'): Promise<void> {
      await admin.query(`alter system set default_transaction_read_only = ${value}`)
      await admin.query('select pg_reload_conf()')
    }

    let stories: Story[] = []
    const listRuns = async (names: readonly string[]): Promise<string[]> => {
      const ids = stories.filter(({ name }) => names.includes(name)).map(({ chatId }) => chatId)
      const rows = await direct.db.selectFrom('runs').select('status').where('chat_id', 'in', ids).execute()
      return rows.map(({ status }) => status)
    }

    /** Tells a story whose model waits at a gate after its first text. Resolves when the text is shown. */
    async function begin(
      name: string,
      client: ChatClient,
      after: Parameters<ToolApp['model']['when']>[1],
    ): Promise<Story> {
      const gate = product.model.gate()
      const content = `${name} ${++count}.`
      product.model.when(content, ['Once ', gate, ...after], ['The end.', { finish: 'stop' }])
      const chatId = await client.newChat()
      const stream = await client.send(chatId, content)
      await stream.until(({ text }) => text !== '')
      const story = { client, chatId, name, gate, streams: [stream], stops: [] }
      stories.push(story)
      return story
    }

    const words = Array.from({ length: 30 }, (_, index) => [`${index} `, { delay: 3 }]).flat()

    /** Repeats a request until a server accepts it. Servers that fail say so with 503 or 507, or not at all. */
    async function insist<Result>(
      request: () => Promise<{ status: number; result: Result }>,
    ): Promise<Result> {
      let accepted: { readonly result: Result } | undefined
      const refusals = new Set<number>()
      await expect
        .poll(
          async () => {
            const answer = await request().catch(() => undefined)
            if (answer !== undefined && answer.status < 400) accepted = answer
            else if (answer !== undefined) refusals.add(answer.status)
            return accepted !== undefined
          },
          { timeout: maxEndMs, interval: 100 },
        )
        .toBe(true)
      expect([...refusals].filter((status) => ![409, 503, 507].includes(status))).toEqual([])
      return (accepted as { readonly result: Result }).result
    }

    /** The steps of a run, each as what has happened before the failure, and what happens while it lasts. */
    const steps: Readonly<
      Record<string, (name: string, client: ChatClient) => Promise<() => Promise<void>>>
    > = {
      async sending(name, client) {
        const chatId = await client.newChat()
        const content = `${name} ${++count}.`
        product.model.when(content, [...words, { finish: 'stop' }])
        const story: Story = { client, chatId, name, gate: product.model.gate(), streams: [], stops: [] }
        stories.push(story)
        const id = newId()
        return () =>
          insist(async () => {
            const stream = await current(client).complete({ chatId, id, parentId: null, content })
            story.streams.push(stream)
            await stream.ended
            return { status: stream.status, result: undefined }
          })
      },
      async streaming(name, client) {
        const { gate } = await begin(name, client, [...words, { finish: 'stop' }])
        return async () => gate.open()
      },
      async ending(name, client) {
        const { gate } = await begin(name, client, [{ finish: 'stop' }])
        return async () => gate.open()
      },
      async calling(name, client) {
        const { gate, chatId } = await begin(name, client, [])
        // The arguments name the chat, so that its calls can be counted.
        product.model.when(
          `${name} ${count}.`,
          ['Once ', gate, callOf('runs', 'act', { chatId })],
          ['The end.', { finish: 'stop' }],
        )
        return async () => gate.open()
      },
      async approving(name, client) {
        const content = `${name} ${++count}.`
        const chatId = await client.newChat()
        product.model.when(content, [callOf('asks', 'act', { chatId })], ['The end.', { finish: 'stop' }])
        const stream = await client.send(chatId, content)
        await stream.ended
        const story: Story = {
          client,
          chatId,
          name,
          gate: product.model.gate(),
          streams: [stream],
          stops: [],
        }
        stories.push(story)
        return () =>
          insist(async () => {
            const chat = await current(client).get(`/api/chats/${chatId}`)
            if (chat.statusCode !== 200) return { status: chat.statusCode, result: undefined }
            const { messages } = chat.json<{ messages: Message[] }>()
            if (messages[1]?.call?.state !== 'waiting') return { status: 200, result: undefined }
            const confirmed = await current(client).confirm(waitingCall(chatId, stream))
            story.streams.push(confirmed)
            await confirmed.ended
            return { status: confirmed.status, result: undefined }
          })
      },
      async stopping(name, client) {
        const story = await begin(name, client, [...words, { finish: 'stop' }])
        const { chatId, gate, stops } = story
        return async () => {
          const stopped = insist(async () => {
            const response = await current(client).post('/api/chat/stop', { chatId })
            return { status: response.statusCode, result: response.json<{ stopped: boolean }>().stopped }
          })
          gate.open()
          stops.push(await stopped)
          // What was said must be true now, whatever else is going on.
          const rows = await direct.db
            .selectFrom('runs')
            .select('status')
            .where('chat_id', '=', chatId)
            .execute()
          expect(rows.map(({ status }) => status)).not.toContain('running')
        }
      },
    }

    /** The client of the same server, which may have been started again. */
    const current = (client: ChatClient): ChatClient => (client === here ? here : there)

    async function play(fault: keyof typeof faults, seed: number): Promise<void> {
      const random = seeded(seed)
      stories = []
      const acts: (() => Promise<void>)[] = []
      for (const [name, step] of Object.entries(steps)) {
        acts.push(await step(`${name} here`, here))
        acts.push(await step(`${name} there`, there))
      }
      const { begin: fail, end }: { begin(): Promise<void>; end?(): Promise<void> } = faults[fault]
      // Some steps are taken before the failure, most while it lasts.
      const early = acts.filter(() => random() < 0.2)
      const started = early.map((act) => act())
      const failed = fail()
      started.push(...acts.filter((act) => !early.includes(act)).map((act) => act()))
      await failed
      await end?.()
      await Promise.all(started)
      for (const { gate } of stories) gate.open()
      await Promise.all(stories.map(check))
      expect(
        await direct.db.selectFrom('runs').select('id').where('status', '=', 'running').execute(),
      ).toEqual([])
      await untilReady(true, product.base, remote.base)
      for (const proxy of proxies) proxy.forget()
    }

    /** Compares what a client saw and was told with what is stored. */
    async function check({ chatId, name, streams, stops }: Story): Promise<void> {
      await expect
        .poll(async () => (await current(here).readChat(chatId)).run, { timeout: maxEndMs, interval: 100 })
        .toBeNull()
      const { messages, selected_message_id } = await here.readChat(chatId)
      const stored = new Map(messages.map((message) => [message.id, message]))
      expect(stored.has(selected_message_id ?? ''), name).toBe(true)
      for (const message of messages) expect(message.status, name).not.toBe('streaming')
      for (const { events, run, status } of streams) {
        if (status !== 200) continue
        const [first] = events
        if (first?.type === 'started') expect(stored.has(first.user_message.id), name).toBe(true)
        for (const shown of run.messages) {
          const kept = stored.get(shown.id)
          if (kept === undefined)
            throw new Error(`${name}: a message that was shown is lost: ${JSON.stringify(shown)}`)
          expect(textOfMessage(kept).startsWith(textOfMessage(shown)), name).toBe(true)
        }
        const last = events.at(-1)
        const reply = run.messages.findLast(({ role }) => role === 'assistant')
        if (last?.type === 'ended' && reply?.call === undefined)
          expect(stored.get(reply?.id ?? '')?.status, name).toBe(last.status)
      }
      expect(
        messages.filter(({ parent_id }) => parent_id === null),
        name,
      ).toHaveLength(1)
      if (stops.includes(true))
        expect(['stopped', 'interrupted', 'complete'], name).toContain(messages[1]?.status)
      const calls = (await product.mcpServer.seen('polite')).filter(
        ({ rpc, body }) => rpc === 'tools/call' && body.includes(chatId),
      )
      const results = messages.filter(({ outcome }) => outcome !== undefined)
      expect(calls.length, name).toBeLessThanOrEqual(1)
      expect(results.length, name).toBeLessThanOrEqual(1)
      if (results[0]?.outcome?.status === 'done') expect(calls, name).toHaveLength(1)
      // The chat goes on.
      await insist(async () => {
        const next = await here.send(chatId, 'And then?')
        await next.ended
        return { status: next.status, result: undefined }
      })
    }

    /** Each round of the soak test has its seed in its name. */
    const names = Object.keys(faults) as (keyof typeof faults)[]
    /** Those that need no lease to end, which takes ten seconds. */
    const quick = [
      'connections die silently',
      'the network is away',
      'PostgreSQL crashes',
      'PostgreSQL is read-only',
    ] as const
    const cases: readonly (readonly [keyof typeof faults, number])[] =
      faultRounds === 0
        ? quick.map((name, index) => [name, index] as const)
        : names.flatMap((name) =>
            Array.from({ length: faultRounds }, () => [name, Math.floor(Math.random() * 2 ** 32)] as const),
          )

    it.each(cases)(
      'lose nothing and say nothing untrue when %s (seed %i)',
      { timeout: 4 * maxEndMs },
      (fault, seed) => play(fault, seed),
    )
  },
)
