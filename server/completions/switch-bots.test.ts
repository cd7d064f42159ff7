import { Dispatcher } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardedFetch, type GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { callOf, waitingCall } from '../testing/chat/open-tool-app.ts'
import { calculate, openToolScene, type ToolScene } from '../testing/chat/open-tool-scene.ts'
import type { Step } from '../testing/models/scripted-model.ts'
import { strictProviders } from '../testing/models/strict/providers.ts'
import { StrictNetwork } from '../testing/models/strict/strict-network.ts'
import { wireShapes } from '../testing/models/wire-shapes.ts'

const usage = { input: 5, output: 7 }
const networks = strictProviders.map((provider) => ({ provider, network: new StrictNetwork(provider) }))

/** Each provider has a host of its own here, below the real one, because two of them may share that. */
const hostOf = (index: number): string => `p${index}.${strictProviders[index]?.host ?? ''}`

/** The bots of each provider. */
const kinds = {
  bot: {},
  'thinking bot': { reasoning_effort: 'high' },
  'bot without connectors': { connectors: [] },
}
type Kind = keyof typeof kinds
const kindNames = Object.keys(kinds) as Kind[]

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

/** Thinking, and a call, that the provider of this name expects back with its signature. */
const signedThinking: Record<string, string> = {
  ...Object.fromEntries(
    strictProviders
      .filter(({ apiType }) => apiType === 'anthropic' || apiType === 'google')
      .map(({ name, apiType, model }) => [
        name,
        wireShapes[apiType].signedCall(
          'default__calculate',
          `${apiType === 'google' ? 'signed-by' : 'sealed-by'}-${model}`,
        ),
      ]),
  ),
  'OpenAI Responses': wireShapes['openai-responses'].signedCall('default__calculate', 'sealed-by-openai'),
  'Google, compatible': wireShapes.openai.signedCall(
    'default__calculate',
    'signed-by-gemini-3-pro-compatible',
  ),
  OpenRouter:
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'sealed-by-openrouter' }] } }] })}\n\n` +
    wireShapes.openai.toolCall('toolu_vrtx_1', 'default__calculate', '{}'),
  DeepSeek:
    wireShapes.openai.reasoning('Hm.') + wireShapes.openai.toolCall('call_00_1', 'default__calculate', '{}'),
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
      deps: { guards: { userSupplied: guard, operatorSupplied: guard } as never },
    })
    await product.connect(product.ada, 'polite')
    await product.ada.post('/api/bot', { name: 'small', model: 'scripted', context_window: 2_500 })
    for (const [index, { apiType, model }] of strictProviders.entries()) {
      for (const [kind, settings] of Object.entries(kinds)) {
        const response = await product.ada.post('/api/bot', {
          name: `${kind} ${index}`,
          model,
          base_url: `https://${hostOf(index)}/v1`,
          api_type: apiType,
          api_key: 'sk-0123456789',
          ...(index % 2 === 0 && { instructions: 'Be brief.' }),
          ...settings,
        })
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
  const filler = (words: number) => 'mountain weather '.repeat(words)

  /** Makes a history with the scripted model; returns the chat and the message to which the next one replies. */
  type Scene = () => Promise<{ chatId: string; leaf: string }>
  const leafOf = async (chatId: string): Promise<{ chatId: string; leaf: string }> => {
    const { selected_message_id: leaf } = await product.ada.readChat(chatId)
    return { chatId, leaf: leaf ?? '' }
  }
  const say = async (chatId: string, text: string, steps: readonly Step[], more = {}) => {
    product.model.reply(steps)
    const stream = await product.ada.send(chatId, text, more)
    await stream.ended
    return stream
  }
  const begin = async (steps: readonly Step[], text = 'Do it') => {
    const chatId = await product.ada.newChat()
    return { chatId, stream: await say(chatId, text, steps) }
  }

  const scenes: Record<string, Scene> = {
    'text with thinking': async () => leafOf((await begin([{ reasoning: 'hm' }, 'Fine 🧀'])).chatId),
    'several calls at once': async () => {
      product.model.reply([
        { reasoning: 'hm' },
        ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => calculate(`${n} + 1`, `call_PTLP8xhu3uwZk4l3nlnrrJh${n}`)),
      ])
      const chatId = await product.ada.newChat()
      product.model.reply(['All.'])
      await (
        await product.ada.send(chatId, 'Sums')
      ).ended
      return leafOf(chatId)
    },
    'the same id twice, in two turns': async () => {
      const { chatId } = await begin([calculate('1 + 1', 'call_0'), calculate('2 + 2', 'call_0')])
      await say(chatId, 'Again', [calculate('1 + 1', 'call_0')])
      return leafOf(chatId)
    },
    'an id with odd characters, longer than 64': async () =>
      leafOf((await begin([calculate('1 + 1', `functions.calc:0|${'é'.repeat(80)}`)])).chatId),
    'broken arguments': async () =>
      leafOf(
        (await begin([{ toolCall: { name: 'default__calculate', arguments: '{"expression":' } }])).chatId,
      ),
    'arguments that are a list': async () =>
      leafOf((await begin([{ toolCall: { name: 'default__calculate', arguments: '[1]' } }])).chatId),
    'an unknown tool with an odd name': async () =>
      leafOf((await begin([{ toolCall: { name: `9 lives! ${'y'.repeat(90)}`, arguments: '{}' } }])).chatId),
    'calls that wait': async () =>
      leafOf((await begin(['Shall I?', act(1, 'aaaaaaaaa'), act(2, 'bbbbbbbbb')])).chatId),
    'a call that waits after one that was made': async () =>
      leafOf((await begin([calculate('1 + 1', 'a'), act(1, 'b'), calculate('2 + 2', 'c')])).chatId),
    'a call that was denied': async () => {
      const { chatId } = await begin([act(1, 'a'), act(2, 'b')])
      await say(chatId, 'No, wait', ['All right.'])
      return leafOf(chatId)
    },
    'one of several that was denied': async () => {
      const { chatId, stream } = await begin([act(1, 'a'), act(2, 'b'), calculate('1 + 1', 'c')])
      await say(chatId, 'Not this', ['ok'], { denyOne: true, parentId: stream.run.messages.at(-1)?.id })
      return leafOf(chatId)
    },
    'a denial that the model answered with nothing': async () => {
      const { chatId } = await begin([act(1, 'a')])
      await say(chatId, 'cancel', [])
      return leafOf(chatId)
    },
    'a reply that failed without text': async () =>
      leafOf((await begin([{ status: 400, body: { error: { message: 'no' } } }])).chatId),
    'a reply that was cut after text': async () => leafOf((await begin(['Half', { cut: true }])).chatId),
    'a reply that was cut in a call': async () =>
      leafOf((await begin([{ reasoning: 'hm' }, act(1, 'a'), { cut: true }])).chatId),
    'only thinking': async () => leafOf((await begin([{ reasoning: 'hm' }])).chatId),
    'a blank reply': async () => leafOf((await begin([' \n'])).chatId),
    'a reply after results that failed': async () => {
      product.model.reply([calculate('1 + 1', 'a')])
      const { chatId, stream } = await begin([{ status: 400, body: { error: { message: 'no' } } }])
      expect(stream.run.messages.at(-1)?.status).toBe('failed')
      return leafOf(chatId)
    },
    'a reply after results that was cut': async () => {
      product.model.reply([calculate('1 + 1', 'a')])
      product.model.reply([{ cut: true }])
      const chatId = await product.ada.newChat()
      await (
        await product.ada.send(chatId, 'Sum')
      ).ended
      return leafOf(chatId)
    },
    'two failures in a row': async () => {
      const { chatId } = await begin([{ cut: true }])
      await say(chatId, 'Again', [{ cut: true }])
      return leafOf(chatId)
    },
    'a connector with a long name that is gone': async () => {
      await product.connect(product.ada, 'polite', { name: long, allow_tools: null })
      const { chatId } = await begin([callOf(long, 'act', {}, 'a')])
      await product.ada.delete(`/api/mcp-server/${long}`)
      return leafOf(chatId)
    },
    'a reply that was stopped in its text': () => stopped(['Half']),
    'a reply that was stopped in its thinking': () => stopped([{ reasoning: 'Half' }]),
    'a reply that was stopped in a call': () =>
      stopped([
        { reasoning: 'hm' },
        {
          raw: wireShapes.openai.text('Half') + wireShapes.openai.toolCall('a', 'polite__act', '{"n'),
        },
      ]),
    'a reply that was stopped after results': async () => {
      product.model.reply([{ reasoning: 'hm' }, calculate('1 + 1', 'a'), calculate('2 + 2', 'b')])
      return stopped(['Half'])
    },
    'a message that was edited after calls': async () => {
      const { chatId } = await begin([{ reasoning: 'hm' }, calculate('1 + 1', 'a')])
      const { leaf: parentId } = await leafOf(chatId)
      await say(chatId, 'Two', [calculate('2 + 2', 'b')])
      await say(chatId, 'Two, edited', ['Fine'], { parentId })
      return leafOf(chatId)
    },
    'a message that was edited while its call waits': async () => {
      const { chatId, stream } = await begin([act(1, 'a'), calculate('1 + 1', 'b')])
      await say(chatId, 'Do it, edited', ['Fine'], { parentId: stream.run.messages[0]?.parent_id ?? null })
      return leafOf(chatId)
    },
    'a reply that was regenerated after calls': async () => {
      const { chatId, stream } = await begin([{ reasoning: 'hm' }, calculate('1 + 1', 'a')])
      product.model.reply([calculate('3 + 3', 'a')])
      const userMessageId = stream.run.messages.find(({ role }) => role === 'user')?.id
      await (
        await product.ada.complete({ chatId, userMessageId })
      ).ended
      return leafOf(chatId)
    },
    'a connector that was renamed, and lost its tools': async () => {
      await product.connect(product.ada, 'polite', { name: 'Former', allow_tools: null })
      const { chatId } = await begin([callOf('Former', 'act', {}, 'a'), callOf('Former', 'act', {}, 'b')])
      const renamed = { name: 'Neu ✨', url: product.mcpServer.url('many') }
      await product.ada.put('/api/mcp-server/Former', renamed)
      await product.ada.post(`/api/mcp-server/${encodeURIComponent(renamed.name)}/connect`)
      return leafOf(chatId)
    },
    'a summary, and calls on both sides of it': async () => {
      const { chatId } = await begin(
        ['One, two', calculate('1 + 1', 'a'), calculate('2 + 2', 'b')],
        filler(400),
      )
      await say(chatId, filler(400), [calculate('1 + 1', 'a'), act(1, 'b'), calculate('2 + 2', 'c')])
      await say(chatId, filler(400), [calculate('1 + 1', 'd')], { botName: 'small' })
      expect((await product.ada.readChat(chatId)).compactions).not.toEqual([])
      return leafOf(chatId)
    },
    'many calls at once': async () =>
      leafOf((await begin(Array.from({ length: 60 }, (_, n) => calculate(`${n} + 1`, `c${n}`)))).chatId),
    'text that is not well-formed': async () => {
      const { chatId } = await begin([{ raw: wireShapes.openai.text('half a pair: \ud83d') }])
      await say(chatId, 'And \udcffyours?', [{ raw: wireShapes.openai.toolCall('\ud83d', 'a\ud83d', '{}') }])
      return leafOf(chatId)
    },
  }

  /** A history that ends with a reply which was stopped when all of these steps had arrived. */
  const stopped: (steps: readonly Step[]) => ReturnType<Scene> = async (steps) => {
    const gate = product.model.gate()
    product.model.reply([...steps, gate])
    const chatId = await product.ada.newChat()
    const stream = await product.ada.send(chatId, 'Stop there')
    await stream.until(({ run }) => /Half/.test(JSON.stringify(run.messages.at(-1))))
    expect((await product.ada.post('/api/chat/stop', { chatId })).statusCode).toBe(200)
    await stream.ended
    gate.open()
    expect(stream.run.messages.at(-1)?.status).toBe('stopped')
    return leafOf(chatId)
  }

  /** What a provider may refuse once: the refusal alone tells that the model is one of those. */
  const learned = [
    'sampling',
    'effortWithTools',
    'unknownFields',
    'limitField',
    'oneCallPerMessage',
    'systemRole',
  ]

  /** Continues the history with a bot of each provider. Returns what went wrong. */
  async function continueWithEach(
    { chatId, leaf }: Awaited<ReturnType<Scene>>,
    kindOf: (index: number) => Kind,
  ): Promise<string[]> {
    const problems: string[] = []
    for (const [index, { provider, network }] of networks.entries()) {
      network.refusals.length = 0
      network.bodies.length = 0
      const botName = `${kindOf(index)} ${index}`
      const stream = await product.ada.complete({ chatId, botName, content: 'And then?', parentId: leaf })
      await stream.ended
      const wrong = network.refusals.filter(({ rule }) => !learned.includes(rule))
      if (wrong.length > 0 || stream.text !== 'ok' || network.bodies.length !== 1 + network.refusals.length)
        problems.push(
          `${provider.name}, ${botName}: ${network.bodies.length} requests, "${stream.text}", ${JSON.stringify(network.refusals)} ${JSON.stringify(stream.run.messages.at(-1)?.error)}`,
        )
    }
    return problems
  }

  it.each(Object.entries(scenes).map(([name, scene], number) => [name, scene, number] as const))(
    'goes on after %s',
    async (_name, scene, number) => {
      // Each history is continued with every provider, and each kind of bot with every third history.
      const kindOf = (index: number): Kind => kindNames[(number + index) % kindNames.length] ?? 'bot'
      expect(await continueWithEach(await scene(), kindOf)).toEqual([])
    },
  )

  it.each(Object.entries(signedThinking))('goes on after the thinking of %s', async (name, signed) => {
    const index = strictProviders.findIndex((provider) => provider.name === name)
    const network = networks[index]?.network
    if (network === undefined) throw new Error(name)
    const { apiType } = strictProviders[index] ?? { apiType: 'openai' as const }
    network.nextReply = signed + wireShapes[apiType].finish('tool_calls', usage)
    const chatId = await product.ada.newChat()
    const stream = await product.ada.send(chatId, 'Think', { botName: `thinking bot ${index}` })
    await stream.ended
    expect(stream.text).toBe('ok')
    expect(stream.run.messages.filter(({ role }) => role === 'assistant')).toHaveLength(2)
    const history = await leafOf(chatId)
    for (const kind of kindNames) expect(await continueWithEach(history, () => kind)).toEqual([])
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
      const wrong = [...network.refusals, ...(networks[next]?.network.refusals ?? [])].filter(
        ({ rule }) => !learned.includes(rule),
      )
      if (wrong.length > 0 || confirmed.text !== 'ok' || stream2.text !== 'ok')
        problems.push(
          `${provider.name}: ${network.bodies.length}, "${confirmed.text}" "${stream2.text}" ${JSON.stringify(wrong)} ${JSON.stringify(confirmed.run.messages.at(-1))}`,
        )
    }
    expect(problems).toEqual([])
  })
})
