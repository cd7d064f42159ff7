import type { Message } from '@yonder/contract/message'
import { textOfMessage } from '@yonder/contract/message-text'
import type { Queue } from '@yonder/contract/queue'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createChatClient,
  openChatApp,
  type ChatApp,
  type ChatClient,
} from '../../testing/chat/open-chat-app.ts'
import { callOf, waitingCall } from '../../testing/chat/open-tool-app.ts'
import { calculate, openToolScene, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'
import { soakRuns } from '../../testing/models/strict/soak-runs.ts'
import type { TestResponse } from '../../testing/send-request.ts'

/** What a message makes the model do. */
const kinds = ['short', 'long', 'calc', 'call', 'fail'] as const
type Kind = (typeof kinds)[number]

/** A request of one of several tabs. `pick` selects one of the messages that are known to wait. */
type Command =
  | { readonly type: 'send' | 'queue'; readonly kind: Kind }
  | { readonly type: 'edit'; readonly kind: Kind; readonly pick: number }
  | { readonly type: 'move'; readonly pick: number; readonly before: number }
  | { readonly type: 'delete' | 'steer' | 'take back' | 'send now'; readonly pick: number }
  | { readonly type: 'stop' | 'continue' | 'approve' | 'deny' | 'deny with reason' | 'read' | 'kill' }

const pick = fc.nat(9)
const kind = fc.constantFrom(...kinds)
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant('send' as const), kind }) },
  { weight: 8, arbitrary: fc.record({ type: fc.constant('queue' as const), kind }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('edit' as const), kind, pick }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('move' as const), pick, before: pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'delete' as const,
        'steer' as const,
        'steer' as const,
        'take back' as const,
        'send now' as const,
      ),
      pick,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'stop' as const,
        'continue' as const,
        'continue' as const,
        'approve' as const,
        'approve' as const,
        'deny' as const,
        'deny with reason' as const,
        'read' as const,
        'kill' as const,
      ),
    }),
  },
)

/** Several requests at once, of tabs at two servers, and then the next ones. */
const history = fc.array(fc.array(command, { minLength: 1, maxLength: 3 }), {
  minLength: 4,
  maxLength: 14,
  size: 'max',
})

/** The texts of all runs have numbers of their own, because they script the replies of one model. */
let lastNumber = 0

/** What the tabs have been told, to be compared with what the chat contains in the end. */
class Scene {
  readonly #product: ToolScene
  readonly #nodes: readonly ChatClient[]
  readonly chatId: string
  /** The text that each accepted message must have in the end; several when a response was lost or came too late. */
  readonly accepted = new Map<string, string>()
  readonly deleted = new Set<string>()
  /** The ids of messages that were refused. */
  readonly refused = new Set<string>()
  /** What a tab read last of two messages that both waited: whether the first one was ahead. */
  readonly #seen = new Map<string, boolean>()
  /** How often each call was approved. */
  readonly approved = new Map<string, number>()
  /** The ids of messages that the user sent in spite of a call that waits. */
  readonly deniers = new Set<string>()
  killed = false
  #shownBefore: Queue | undefined
  #turn = 0

  constructor(product: ToolScene, nodes: readonly ChatClient[], chatId: string) {
    this.#product = product
    this.#nodes = nodes
    this.chatId = chatId
  }

  /** The tab that sends the next request. */
  #tab(): ChatClient {
    const tab = this.#nodes[this.#turn++ % this.#nodes.length]
    if (tab === undefined) throw new Error('There is no server.')
    return tab
  }

  /** A message whose text makes the model do this. */
  #newText(kind: Kind): { readonly id: string; readonly text: string } {
    const number = ++lastNumber
    const text = `${kind} <${number}>`
    const { model } = this.#product
    const steps = {
      short: ['Fine.'],
      long: Array.from({ length: 12 }, (_, index) => [`${index} `, { delay: 4 }]).flat(),
      calc: [{ delay: 5 }, calculate(`${number} + 1`)],
      call: [callOf('polite', 'act', { n: number })],
      fail: [{ status: 400, body: { error: { message: 'no' } } } as const],
    }[kind]
    model.when(text, steps, ['So it is.'])
    return { id: `m${number}`, text }
  }

  /** Plays some requests at once. */
  async play(commands: readonly Command[]): Promise<void> {
    const queue = await this.read()
    const known = queue.messages.map(({ id }) => id)
    await Promise.all(commands.map((next) => this.#play(next, known)))
    this.#shownBefore = queue
  }

  async read(): Promise<Queue> {
    const response = await this.#tab().get(`/api/chat/queue?chatId=${this.chatId}`)
    expect(response.statusCode, response.body).toBe(200)
    const queue = response.json<Queue>()
    this.#see(queue)
    return queue
  }

  async #play(next: Command, known: readonly string[]): Promise<void> {
    const { chatId } = this
    const tab = this.#tab()
    const idOf = (index: number) => known[index % Math.max(known.length, 1)] ?? 'none'
    switch (next.type) {
      case 'send':
      case 'deny':
      case 'deny with reason':
        return this.#send(tab, next)
      case 'queue': {
        const { id, text } = this.#newText(next.kind)
        const body = { chatId, id, botName: 'Helper', content: text }
        const response = await tab.post('/api/chat/queue', body)
        if (response.statusCode === 200) this.accepted.set(id, text)
        else {
          expect(response.body).toContain('At most 10')
          this.refused.add(id)
        }
        return this.#learn(response, [id])
      }
      case 'edit': {
        const id = idOf(next.pick)
        const { text } = this.#newText(next.kind)
        const response = await tab.patch(`/api/chat/queue/${id}`, { chatId, content: text })
        if (response.statusCode === 200) this.accepted.set(id, text)
        return this.#learn(response, [])
      }
      case 'move': {
        const [id, before] = [idOf(next.pick), idOf(next.before)]
        return this.#learn(await tab.patch(`/api/chat/queue/${id}`, { chatId, before }), [id])
      }
      case 'steer':
      case 'take back': {
        const id = idOf(next.pick)
        const body = { chatId, steers: next.type === 'steer' }
        return this.#learn(await tab.patch(`/api/chat/queue/${id}`, body), [id])
      }
      case 'delete': {
        const id = idOf(next.pick)
        const response = await tab.delete(`/api/chat/queue/${id}?chatId=${chatId}`)
        if (response.statusCode === 200) this.deleted.add(id)
        return this.#learn(response, [id])
      }
      case 'send now': {
        const id = idOf(next.pick)
        this.deniers.add(id)
        return this.#learn(await tab.post(`/api/chat/queue/${id}/send`, { chatId }), [id])
      }
      case 'continue':
        return this.#learn(await this.#goOn(tab, await this.#shown()), [])
      case 'stop':
        expect((await tab.post('/api/chat/stop', { chatId })).statusCode).toBe(200)
        return
      case 'approve':
        return this.#approve(tab)
      case 'read':
        await this.read()
        await tab.readChat(chatId)
        return
      case 'kill':
        return this.#kill()
    }
  }

  /** The queue as a page shows it, of which every other one has not heard of the last requests. */
  async #shown(): Promise<Queue> {
    const isLate = this.#turn % 2 === 0
    return (isLate ? this.#shownBefore : undefined) ?? (await this.read())
  }

  /** Goes on after the pause that the tab has seen, which denies a call only if that was why. */
  #goOn(tab: ChatClient, { messages, paused }: Queue): Promise<TestResponse> {
    const seen = { id: messages[0]?.id ?? 'none', paused: paused ?? 'stopped' }
    if (paused === 'approval') this.deniers.add(seen.id)
    return tab.post('/api/chat/queue/continue', { chatId: this.chatId, ...seen })
  }

  async #send(tab: ChatClient, { type, ...rest }: Command): Promise<void> {
    const { id, text } = this.#newText('kind' in rest ? rest.kind : 'short')
    const stream = await tab.send(this.chatId, text, { id, denyOne: type === 'deny with reason' })
    // Its end is waited for in the end, with the others.
    if (stream.status === 200) {
      this.accepted.set(id, text)
      this.deniers.add(id)
    } else {
      await stream.ended
      expect(stream.raw).toMatch(/run_active|conflict/)
      this.refused.add(id)
    }
  }

  async #approve(tab: ChatClient): Promise<void> {
    const last = (await tab.readChat(this.chatId)).messages.findLast(({ call }) => call?.state === 'waiting')
    if (last === undefined) return
    const stream = await tab.confirm(waitingCall(this.chatId, { run: { messages: [last] } } as never))
    if (stream.status === 200)
      this.approved.set(last.arguments ?? '', (this.approved.get(last.arguments ?? '') ?? 0) + 1)
    else await stream.ended
  }

  /** The lease of the reply ends, as that of a server that was killed, and another server ends the reply. */
  async #kill(): Promise<void> {
    if (this.#nodes.length === 1) return
    this.killed = true
    await this.#product.database.db
      .updateTable('runs')
      .set({ lease_until: 0 })
      .where('chat_id', '=', this.chatId)
      .where('status', '=', 'running')
      .execute()
    await Promise.all(this.#nodes.map((node) => node.readChat(this.chatId)))
  }

  #learn(response: TestResponse, changed: readonly string[]): void {
    if (response.statusCode !== 200) {
      expect([400, 404, 409], response.body).toContain(response.statusCode)
      return
    }
    // The order of what has been changed is known only from what is read after that.
    for (const pair of this.#seen.keys())
      if (changed.some((id) => pair.split(' ').includes(id))) this.#seen.delete(pair)
    // Responses of requests at once may be of any order, so `play` reads the queue after them.
  }

  #see({ messages }: Queue): void {
    for (const [index, { id }] of messages.entries())
      for (const { id: later } of messages.slice(index + 1)) {
        this.#seen.set(`${id} ${later}`, true)
        this.#seen.delete(`${later} ${id}`)
      }
  }

  /** Lets everything end: what waits is sent, in spite of how the replies end. */
  async end(): Promise<readonly Message[]> {
    const [tab] = this.#nodes
    if (tab === undefined) throw new Error('There is no server.')
    await expect
      .poll(
        async () => {
          const { messages, paused } = await this.read()
          if (paused !== null) await this.#goOn(tab, { messages, paused })
          const { run } = await tab.readChat(this.chatId)
          return messages.length === 0 && run === null && (await this.read()).messages.length === 0
        },
        { timeout: 60_000, interval: 20 },
      )
      .toBe(true)
    return (await tab.readChat(this.chatId)).messages
  }

  /** Each message and each call once, in the order that was read last, and nothing is lost. */
  async check(messages: readonly Message[]): Promise<void> {
    const ids = messages.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const asked = messages.filter(({ role, outcome }) => role === 'user' && outcome === undefined)
    const expected = [...this.accepted].filter(([id]) => !this.deleted.has(id))
    expect(new Map(asked.map((message) => [message.id, textOfMessage(message)]))).toEqual(new Map(expected))
    for (const pair of this.#seen.keys()) {
      const [first = '', second = ''] = pair.split(' ')
      const [at, then] = [ids.indexOf(first), ids.indexOf(second)]
      if (at !== -1 && then !== -1) expect(at, `${pair} in ${ids.join()}`).toBeLessThan(then)
    }
    // One branch, in which each message follows the one before it.
    expect(messages.map(({ parent_id }) => parent_id)).toEqual([null, ...ids.slice(0, -1)])
    const calls = messages.filter(({ tool, call }) => tool === 'act' && call !== undefined)
    const denied = calls.filter(({ call }) => call?.state === 'denied')
    const denying = denied.map(({ id }) => messages[ids.indexOf(id) + 1]?.id ?? '')
    expect(denying.filter((id) => !this.deniers.has(id))).toEqual([])
    const made = await this.#countCalls()
    for (const reply of calls) {
      const { n } = JSON.parse(reply.arguments ?? '{}') as { n: number }
      const count = made.get(n) ?? 0
      const approvals = this.approved.get(reply.arguments ?? '') ?? 0
      expect(approvals).toBeLessThanOrEqual(1)
      if (this.killed || approvals === 0) expect(count).toBeLessThanOrEqual(approvals)
      else expect([reply.call?.state, count]).toEqual(['answered', count <= 1 ? count : 'at most one'])
    }
  }

  async #countCalls(): Promise<ReadonlyMap<number, number>> {
    const counts = new Map<number, number>()
    for (const { rpc, body } of await this.#product.mcpServer.seen('polite')) {
      const n = rpc === 'tools/call' ? Number(/"n":(\d+)/.exec(body)?.[1]) : undefined
      if (n !== undefined) counts.set(n, (counts.get(n) ?? 0) + 1)
    }
    return counts
  }
}

/** Histories of every test run, always the same ones; `npm run soak` plays new ones. */
const quickRuns = 4

describe.each(engines)('requests of several tabs in any order, on %s', (engine) => {
  let product: ToolScene
  let other: ChatApp | undefined
  let nodes: readonly ChatClient[]
  beforeAll(async () => {
    product = await openToolScene({ engine })
    const { ada, database, model } = product
    await product.connect(ada, 'polite')
    nodes = [ada]
    if (!isConcurrent(engine)) return
    const identity = { ...product.deps.identity, register: async () => undefined }
    other = await openChatApp({ database, model, deps: { identity } })
    nodes = [ada, createChatClient(other.base, ada)]
  })
  afterAll(async () => {
    await other?.close()
    await product.close()
  })

  it('send each message and make each call once, in the order that was read, and lose none', async () => {
    const options =
      soakRuns === undefined
        ? { numRuns: quickRuns, seed: 38, endOnFailure: true }
        : { numRuns: soakRuns, endOnFailure: true }
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const scene = new Scene(product, nodes, await product.ada.newChat())
        await scene.play([{ type: 'send', kind: 'calc' }])
        for (const commands of steps) await scene.play(commands)
        await scene.check(await scene.end())
      }),
      options,
    )
  })
})
