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
    for (const [index, { apiType, model }] of strictProviders.entries()) {
      const response = await product.ada.post('/api/bot', {
        name: `bot ${index}`,
        model,
        base_url: `https://${hostOf(index)}/v1`,
        api_type: apiType,
        api_key: 'sk-0123456789',
        ...(index % 2 === 0 && { instructions: 'Be brief.' }),
      })
      expect(response.statusCode, response.body).toBeLessThan(300)
    }
  })
  afterAll(async () => {
    await product.close()
    await real.close()
  })

  const act = (n: number, id: string) => callOf('polite', 'act', { n }, id)
  const long = 'x'.repeat(60)

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
      const { chatId } = await begin([calculate('1 + 1', 'a')])
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

  it.each(Object.entries(scenes))('goes on after %s', async (_name, scene) => {
    const { chatId, leaf } = await scene()
    const problems: string[] = []
    for (const [index, { provider, network }] of networks.entries()) {
      network.refusals.length = 0
      network.bodies.length = 0
      const stream = await product.ada.complete({
        chatId,
        botName: `bot ${index}`,
        content: 'And then?',
        parentId: leaf,
      })
      await stream.ended
      const wrong = network.refusals.filter(({ rule }) => !learned.includes(rule))
      if (wrong.length > 0 || stream.text !== 'ok' || network.bodies.length !== 1 + network.refusals.length)
        problems.push(
          `${provider.name}: ${network.bodies.length} requests, "${stream.text}", ${JSON.stringify(network.refusals)} ${JSON.stringify(stream.run.messages.at(-1)?.error)}`,
        )
    }
    expect(problems).toEqual([])
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
