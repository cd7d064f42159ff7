import type { RunEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { Dispatcher } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardedFetch, type GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { OpenaiNote } from '../models/openai/read-chunks.ts'
import type { ResponsesNote } from '../models/openai/read-response-events.ts'
import { callOf, waitingCall } from '../testing/chat/open-tool-app.ts'
import { calculate, openToolScene, type ToolScene } from '../testing/chat/open-tool-scene.ts'
import { addCompaction } from '../testing/factories/chats.ts'
import type { Step } from '../testing/models/scripted-model.ts'
import { strictProviders, type StrictProvider } from '../testing/models/strict/providers.ts'
import { sendHistory, unexpected } from '../testing/models/strict/send-history.ts'
import { StrictNetwork } from '../testing/models/strict/strict-network.ts'
import { wireShapes } from '../testing/models/wire-shapes.ts'
import { readPromptSource } from './prompt/fit-prompt.ts'

const usage = { input: 5, output: 7 }
const networks = strictProviders.map((provider) => ({ provider, network: new StrictNetwork(provider) }))

/** Each provider has a host of its own here, below the real one, because two of them may share that. */
const hostOf = (index: number): string => `p${index}.${strictProviders[index]?.host ?? ''}`

/** The network, in which the strict providers are at their hosts. */
class MixedNetwork extends Dispatcher {
  readonly #other: Dispatcher
  constructor(other: Dispatcher) {
    super()
    this.#other = other
  }
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const host = new URL(String(options.origin)).hostname
    const found = networks.find((_, index) => hostOf(index) === host)
    return (found?.network ?? this.#other).dispatch(options, handler)
  }
}

function signatureOf({ note }: StrictProvider): string {
  const text = JSON.stringify(note)
  return (/(?:sealed|signed)-by[\w.-]+/.exec(text) ?? /\w+ thought\./.exec(text))?.[0] ?? ''
}

/** A call with what this provider expects back with it. */
function signedCall(provider: StrictProvider, name: string): string {
  const { apiType } = provider
  if (apiType === 'openai-responses') {
    const [item] = (provider.note as ResponsesNote).reasoning
    const event = { type: 'response.output_item.done', output_index: 0, item }
    return `data: ${JSON.stringify(event)}\n\n${wireShapes[apiType].toolCall('c1', name, '{}')}`
  }
  if (apiType !== 'openai') return wireShapes[apiType].signedCall(name, signatureOf(provider))
  const { turn, call } = provider.note as OpenaiNote
  const toolCall = { index: 0, id: 'c1', type: 'function', function: { name, arguments: '{}' }, ...call }
  const choices = [{ index: 0, delta: { ...turn, tool_calls: [toolCall] } }]
  return `data: ${JSON.stringify({ choices })}\n\n`
}

describe('a chat that is continued with another bot', () => {
  let product: ToolScene
  let real: GuardedFetch
  beforeAll(async () => {
    real = guardedFetch({
      policy: { trust: 'userSupplied', allowedPrivateHosts: [], isLoopbackInstallation: true, ownPorts: [] },
    })
    const guard = {
      ...real,
      dispatcher: new MixedNetwork(real.dispatcher),
      requireUrl: (url: string | URL) => new URL(url),
    }
    product = await openToolScene({
      deps: { guards: { userSupplied: guard, serverSupplied: guard, operatorSupplied: guard } as never },
    })
    await product.connect(product.ada, 'polite')
    await product.ada.post('/api/bot', { name: 'small', model: 'scripted', context_window: 2_500 })
    for (const [index, { apiType, model }] of strictProviders.entries()) {
      const bot = {
        model,
        base_url: `https://${hostOf(index)}/v1`,
        api_type: apiType,
        api_key: 'sk-0123456789',
        ...(index % 2 === 0 && { instructions: 'Be brief.' }),
      }
      const kinds = { bot: {}, bare: { connectors: [] }, thinking: { reasoning_effort: 'high' } }
      for (const [kind, own] of Object.entries(kinds)) {
        const response = await product.ada.post('/api/bot', { name: `${kind} ${index}`, ...bot, ...own })
        expect(response.statusCode, response.body).toBeLessThan(300)
      }
    }
  })
  afterAll(async () => {
    await product.close()
    await real.close()
  })

  const act = (n: number, id: string) => callOf('polite', 'act', { n }, id)
  const long = 'x'.repeat(60)

  /** The chat, and its message to which the next one replies. */
  interface History {
    readonly chatId: string
    readonly leaf: string
  }
  /** The selected path of a chat; its last message must have this status, so that a scene is what it says. */
  const historyOf = async (chatId: string, status: Message['status'] = 'complete'): Promise<History> => {
    const last = (await product.ada.readChat(chatId)).messages.at(-1)
    expect([last?.status, product.model.waitingReplies]).toEqual([status, 0])
    return { chatId, leaf: last?.id ?? '' }
  }
  /** Sends a message. The model replies with these steps, and to the results of its calls with the further ones. */
  const say = async (chatId: string, text: string, replies: readonly (readonly Step[])[], more = {}) => {
    for (const steps of replies) product.model.reply(steps)
    const stream = await product.ada.send(chatId, text, more)
    await stream.ended
    return stream
  }
  const begin = async (...replies: readonly (readonly Step[])[]) => {
    const chatId = await product.ada.newChat()
    return { chatId, stream: await say(chatId, 'Do it', replies) }
  }
  /** Stops a reply as soon as it has an event of this type. */
  const sayAndStop = async (chatId: string, steps: readonly Step[], type: RunEvent['type']) => {
    const gate = product.model.gate()
    product.model.reply([...steps, gate])
    const stream = await product.ada.send(chatId, 'Do it')
    await stream.until(({ events }) => events.some((event) => event.type === type))
    await product.ada.post('/api/chat/stop', { chatId })
    await stream.ended
    gate.open()
  }
  const idsOf = async (chatId: string) => (await product.ada.readChat(chatId)).messages.map(({ id }) => id)

  /** Each makes a history with the scripted model. */
  const scenes: Record<string, () => Promise<History>> = {
    'text with thinking': async () => historyOf((await begin([{ reasoning: 'hm' }, 'Fine 🧀'])).chatId),
    'several calls at once': async () => {
      const calls = [1, 2, 3, 4, 5, 6, 7, 8].map((n) =>
        calculate(`${n} + 1`, `call_PTLP8xhu3uwZk4l3nlnrrJh${n}`),
      )
      return historyOf((await begin([{ reasoning: 'hm' }, ...calls], ['All.'])).chatId)
    },
    'many calls at once': async () =>
      historyOf((await begin(Array.from({ length: 60 }, (_, n) => calculate(`${n} + 1`, `c${n}`)))).chatId),
    'the same id twice, in two turns': async () => {
      const { chatId } = await begin([calculate('1 + 1', 'call_0'), calculate('2 + 2', 'call_0')])
      await say(chatId, 'Again', [[calculate('1 + 1', 'call_0')]])
      return historyOf(chatId)
    },
    'an id with odd characters, longer than 64': async () =>
      historyOf((await begin([calculate('1 + 1', `functions.calc:0|${'é'.repeat(80)}`)])).chatId),
    'broken arguments': async () =>
      historyOf(
        (await begin([{ toolCall: { name: 'default__calculate', arguments: '{"expression":' } }])).chatId,
      ),
    'arguments that are a list': async () =>
      historyOf((await begin([{ toolCall: { name: 'default__calculate', arguments: '[1]' } }])).chatId),
    'arguments that are nested too deeply': async () => {
      const deep = `{"expression":${'['.repeat(9_000)}${']'.repeat(9_000)}}`
      return historyOf((await begin([{ toolCall: { name: 'default__calculate', arguments: deep } }])).chatId)
    },
    'an unknown tool with an odd name': async () =>
      historyOf(
        (await begin([{ toolCall: { name: `9 lives! ${'y'.repeat(90)}`, arguments: '{}' } }])).chatId,
      ),
    'tools with odd names': async () => {
      await product.connect(product.ada, 'odd-names', { allow_tools: null })
      const { chatId } = await begin(['Yes?'])
      const tools = product.model.requests.at(-1)?.body['tools'] as { function: { name: string } }[]
      const names = tools.map((tool) => tool.function.name).filter((name) => name.startsWith('odd_names'))
      expect(names).toHaveLength(3)
      await say(chatId, 'All', [names.map((name) => ({ toolCall: { name, arguments: '{}' } }))])
      return historyOf(chatId)
    },
    'halves of characters everywhere': async () => {
      const { chatId } = await begin([
        {
          raw: wireShapes.openai.text('half \ud83d') + wireShapes.openai.toolCall('\ud83d', 'a\ud83d', '{}'),
        },
        calculate('1 + 1\ud800', 'a\udc00'),
      ])
      await say(chatId, 'Half \udc00 and NUL \0', [['ok']])
      return historyOf(chatId)
    },
    'a result with a picture': async () => {
      await product.connect(product.ada, 'injection', { allow_tools: null })
      return historyOf((await begin([callOf('injection', 'act')])).chatId)
    },
    'calls that wait': async () =>
      historyOf((await begin(['Shall I?', act(1, 'aaaaaaaaa'), act(2, 'bbbbbbbbb')])).chatId),
    'a call that waits after one that was made': async () =>
      historyOf((await begin([calculate('1 + 1', 'a'), act(1, 'b'), calculate('2 + 2', 'c')])).chatId),
    'a call that was denied': async () => {
      const { chatId } = await begin([act(1, 'a'), act(2, 'b')])
      await say(chatId, 'No, wait', [['All right.']])
      return historyOf(chatId)
    },
    'one of several that was denied': async () => {
      const { chatId } = await begin([act(1, 'a'), act(2, 'b'), calculate('1 + 1', 'c')])
      await say(chatId, 'Not this', [], { denyOne: true })
      return historyOf(chatId)
    },
    'a denial that was edited': async () => {
      const { chatId } = await begin([act(1, 'a'), act(2, 'b')])
      const [, parentId] = await idsOf(chatId)
      await say(chatId, 'Not this', [], { denyOne: true })
      await say(chatId, 'Neither', [['ok']], { parentId })
      return historyOf(chatId)
    },
    'a denial that the model answered with nothing': async () => {
      const { chatId } = await begin([act(1, 'a')])
      await say(chatId, 'cancel', [[]])
      return historyOf(chatId, 'failed')
    },
    'a reply that failed without text': async () =>
      historyOf((await begin([{ status: 400, body: { error: { message: 'no' } } }])).chatId, 'failed'),
    'a reply that was cut after text': async () =>
      historyOf((await begin(['Half', { cut: true }])).chatId, 'failed'),
    'a reply that was cut in a call': async () =>
      historyOf((await begin([{ reasoning: 'hm' }, act(1, 'a'), { cut: true }])).chatId, 'failed'),
    'only thinking': async () => historyOf((await begin([{ reasoning: 'hm' }])).chatId, 'failed'),
    'a blank reply': async () => historyOf((await begin([' \n'])).chatId, 'failed'),
    'a reply after results that failed': async () =>
      historyOf((await begin([calculate('1 + 1', 'a')], [{ status: 400 }])).chatId, 'failed'),
    'a reply after results that was cut': async () =>
      historyOf((await begin([calculate('1 + 1', 'a')], [{ cut: true }])).chatId, 'failed'),
    'two failures in a row': async () => {
      const { chatId } = await begin([{ cut: true }])
      await say(chatId, 'Again', [[{ cut: true }]])
      return historyOf(chatId, 'failed')
    },
    'a reply that was stopped in its text': async () => {
      const { chatId } = await begin([calculate('1 + 1', 'a')])
      await sayAndStop(chatId, ['Half'], 'text')
      return historyOf(chatId, 'stopped')
    },
    'a reply that was stopped in its thinking': async () => {
      const { chatId } = await begin([calculate('1 + 1', 'a')])
      await sayAndStop(chatId, [{ reasoning: 'hm' }], 'reasoning')
      return historyOf(chatId, 'stopped')
    },
    'a reply that was stopped while its call arrived': async () => {
      const chatId = await product.ada.newChat()
      await sayAndStop(chatId, ['I will.', act(1, 'a')], 'text')
      return historyOf(chatId, 'stopped')
    },
    'a reply that was stopped in its second call': async () => {
      await product.connect(product.ada, 'silent-call', { allow_tools: null })
      const chatId = await product.ada.newChat()
      product.model.reply([calculate('1 + 1', 'a'), callOf('silent-call', 'act'), act(1, 'c')])
      const stream = await product.ada.send(chatId, 'Do it')
      await stream.until(({ events }) => events.filter(({ type }) => type === 'tool_call').length === 2)
      await product.ada.post('/api/chat/stop', { chatId })
      await stream.ended
      return historyOf(chatId)
    },
    'a message that went into a reply after its results': async () => {
      const gate = product.model.gate()
      product.model.reply([{ reasoning: 'hm' }, gate, calculate('1 + 1', 'a'), calculate('2 + 2', 'b')])
      product.model.reply(['So it is.'])
      const chatId = await product.ada.newChat()
      const stream = await product.ada.send(chatId, 'Do it')
      for (const [id, content] of Object.entries({ one: 'And 3?', two: 'Rather 4.' })) {
        await product.ada.post('/api/chat/queue', { chatId, id, botName: 'Helper', content })
        await product.ada.patch(`/api/chat/queue/${id}`, { chatId, steers: true })
      }
      gate.open()
      await stream.ended
      expect(stream.run.messages.slice(-3).map(({ id }) => id)).toEqual(['one', 'two', expect.any(String)])
      return historyOf(chatId)
    },
    'a message that was edited, with calls before and after it': async () => {
      const { chatId } = await begin([{ reasoning: 'hm' }, calculate('1 + 1', 'a')])
      const parentId = (await idsOf(chatId)).at(-1)
      await say(chatId, 'Two', [[calculate('2 + 2', 'a')]])
      await say(chatId, 'Three', [[calculate('3 + 3', 'a')]], { parentId })
      return historyOf(chatId)
    },
    'a message that was edited while a call waits': async () => {
      const { chatId } = await begin([act(1, 'a'), calculate('1 + 1', 'b')])
      await say(chatId, 'Do it, edited', [['Fine']], { parentId: null })
      return historyOf(chatId)
    },
    'an answer that was regenerated after calls': async () => {
      const { chatId } = await begin([calculate('1 + 1', 'a'), calculate('2 + 2', 'b')])
      const [, , userMessageId] = await idsOf(chatId)
      product.model.reply([calculate('4 + 4', 'a')])
      await (
        await product.ada.complete({ chatId, userMessageId })
      ).ended
      return historyOf(chatId)
    },
    'a connector that was renamed': async () => {
      await product.connect(product.ada, 'polite', { name: 'first', allow_tools: null })
      const { chatId } = await begin([callOf('first', 'act', {}, 'a')])
      const url = product.mcpServer.url('polite')
      await product.ada.put('/api/mcp-server/first', { name: 'Neu ✨', url })
      return historyOf(chatId)
    },
    'a tool that was renamed': async () => {
      await product.connect(product.ada, 'polite', { name: 'tools', allow_tools: null })
      const { chatId } = await begin([callOf('tools', 'act', {}, 'a')])
      await product.ada.put('/api/mcp-server/tools', {
        name: 'tools',
        url: product.mcpServer.url('rug-pull'),
      })
      await product.ada.post('/api/mcp-server/tools/connect')
      return historyOf(chatId)
    },
    'a connector with a long name that is gone': async () => {
      await product.connect(product.ada, 'polite', { name: long, allow_tools: null })
      const { chatId } = await begin([callOf(long, 'act', {}, 'a')])
      await product.ada.delete(`/api/mcp-server/${long}`)
      return historyOf(chatId)
    },
    'a summary between calls': async () => {
      product.model.when('Summarise these messages', ['They talked.'])
      const filler = 'Tell me about the weather in the mountains. '.repeat(60)
      const { chatId } = await begin(['One, two', calculate('1 + 1', 'a')], [filler])
      await say(chatId, filler, [[calculate('1 + 1', 'a'), act(1, 'b')]])
      await say(chatId, filler, [[calculate('1 + 1', 'd')], ['So.']], { botName: 'small' })
      expect((await product.ada.readChat(chatId)).compactions).toHaveLength(1)
      return historyOf(chatId)
    },
    'a summary that cuts several calls': async () => {
      const { chatId } = await begin(['Now.', calculate('1 + 1', 'a'), calculate('2 + 2', 'b'), act(1, 'c')])
      const [, , message_id = ''] = await idsOf(chatId)
      await addCompaction(product.database.db, { chat_id: chatId, message_id })
      return historyOf(chatId)
    },
    'much of this in one chat': async () => {
      const { chatId } = await begin([{ reasoning: 'hm' }, 'So.', calculate('1 + 1', 'a')], ['Two.'])
      await say(chatId, 'Again', [[calculate('1 + 1', 'a'), act(1, 'a')]])
      await say(chatId, 'Not now', [['Fine.']])
      await say(chatId, 'Broken', [[{ toolCall: { name: '', arguments: '[1]' } }]])
      await sayAndStop(chatId, [{ reasoning: 'hm' }], 'reasoning')
      await say(chatId, 'Calls', [[{ reasoning: 'hm' }, calculate('1 + 1', 'b')], [{ cut: true }]])
      return historyOf(chatId, 'failed')
    },
  }

  /** Every third message of the user or result also has pictures. */
  const media = ['none', 'several', 'none'] as const

  /** What each provider says to this history and one more message, in requests that are written as for its bots. */
  const problemsOf = async ({ chatId, leaf }: History) => {
    const { run } = await say(chatId, 'And then?', [['ok']], { parentId: leaf })
    const source = await readPromptSource(product.database.db, chatId, run.messages[0]?.id ?? '')
    const settings = [{ hasTools: true, options: { reasoningEffort: 'high' } }, { hasTools: false }] as const
    const problems: string[] = []
    for (const [index, provider] of strictProviders.entries()) {
      for (const own of settings) {
        const to = { ...provider, host: hostOf(index) }
        const { end, refusals } = await sendHistory(to, { ...source, media }, { maxTokens: null, ...own })
        if (end?.type !== 'finish' || unexpected(refusals).length > 0)
          problems.push(`${provider.name}: ${JSON.stringify([end, refusals])}`)
      }
    }
    return problems
  }

  it.each(Object.entries(scenes))('goes on after %s', async (_name, scene) => {
    expect(await problemsOf(await scene())).toEqual([])
  })

  it.each(['bot', 'bare', 'thinking'])('goes on after much of this, with each %s', async (kind) => {
    const { chatId, leaf } = await scenes['much of this in one chat']!()
    const problems: string[] = []
    for (const [index, { provider, network }] of networks.entries()) {
      network.refusals.length = 0
      network.bodies.length = 0
      const request = { chatId, botName: `${kind} ${index}`, content: 'And then?', parentId: leaf }
      const stream = await product.ada.complete(request)
      await stream.ended
      if (
        unexpected(network.refusals).length > 0 ||
        stream.text !== 'ok' ||
        network.bodies.length !== 1 + network.refusals.length
      )
        problems.push(
          `${provider.name}: ${network.bodies.length} requests, "${stream.text}", ${JSON.stringify(network.refusals)} ${JSON.stringify(stream.run.messages.at(-1)?.error)}`,
        )
    }
    expect(problems).toEqual([])
  })

  /** The providers that expect what they sent with a call back. */
  const signers = networks.flatMap(({ provider }, index) =>
    provider.note === undefined ? [] : [[provider.name, index] as const],
  )

  it.each(signers)('goes on after signed thinking of %s', async (_name, index) => {
    const { provider, network } = networks[index]!
    const [, next = 0] = signers.find(([, other]) => other > index) ?? signers[0] ?? []
    for (const other of [index, next]) {
      network.nextReply =
        signedCall(provider, 'polite__act') + wireShapes[provider.apiType].finish('tool_calls', usage)
      const chatId = await product.ada.newChat()
      const stream = await product.ada.send(chatId, 'Do it', { botName: `thinking ${index}` })
      await stream.ended
      const { refusals, bodies } = networks[other]!.network
      refusals.length = 0
      const allowed = { ...waitingCall(chatId, stream), botName: `thinking ${other}` }
      const confirmed = await product.ada.confirm(allowed)
      await confirmed.ended
      expect([confirmed.text, refusals]).toEqual(['ok', []])
      if (other === index) expect(bodies.at(-1)).toContain(signatureOf(provider))
      expect(await problemsOf(await historyOf(chatId))).toEqual([])
    }
  })

  it('makes a waiting call with any other bot', async () => {
    const problems: string[] = []
    for (const [index, { provider, network }] of networks.entries()) {
      const { chatId, stream } = await begin([
        { reasoning: 'hm' },
        'Shall I?',
        act(1, 'call_0'),
        calculate('1 + 1', 'call_0'),
      ])
      network.refusals.length = 0
      network.bodies.length = 0
      // The provider answers with a call of its own, which another one then continues.
      network.nextReply =
        wireShapes[provider.apiType].toolCall('x:1', 'default__calculate', '{"expression":"3 + 3"}') +
        wireShapes[provider.apiType].finish('tool_calls', usage)
      const confirmed = await product.ada.confirm({ ...waitingCall(chatId, stream), botName: `bot ${index}` })
      await confirmed.ended
      const next = (index + 7) % networks.length
      networks[next]?.network.refusals.splice(0)
      const stream2 = await product.ada.complete({ chatId, botName: `bot ${next}`, content: 'And?' })
      await stream2.ended
      const wrong = unexpected([...network.refusals, ...(networks[next]?.network.refusals ?? [])])
      if (wrong.length > 0 || confirmed.text !== 'ok' || stream2.text !== 'ok')
        problems.push(
          `${provider.name}: ${network.bodies.length}, "${confirmed.text}" "${stream2.text}" ${JSON.stringify(wrong)} ${JSON.stringify(confirmed.run.messages.at(-1))}`,
        )
    }
    expect(problems).toEqual([])
  })
})
