import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf } from '../../testing/chat/open-tool-app.ts'
import { openToolScene, resultOf, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('a call that cannot run, on %s', (engine) => {
  let product: ToolScene
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolScene({ engine })
    ada = product.ada
    // Every tool needs approval.
    await ada.put('/api/mcp-server/default', { name: 'default', url: 'builtin://default', allow_tools: [] })
    await product.connect(ada, 'polite')
    await product.connect(ada, 'redos')
  })
  afterAll(() => product.close())

  const contentOf = (index: number) => String(product.sentToModel()?.at(index)?.content)

  it('with broken JSON gets an error result, quotes it to the model, and the model corrects itself', async () => {
    const broken = '{"expression": "2 + 3'
    product.model.reply([{ toolCall: { id: 'aaaaaaaaa', name: 'default__calculate', arguments: broken } }])
    product.model.reply([callOf('default', 'calculate', { expression: '2 + 3' }, 'bbbbbbbbb')])
    const { chatId, stream } = await product.sendNew('A sum')
    await stream.ended
    expect(stream.run.messages).toMatchObject([
      {},
      { arguments: broken, call: { state: 'answered' } },
      {
        outcome: {
          status: 'failed',
          parts: [
            {
              type: 'note',
              text: 'The tool was not called: the arguments of the model are not a JSON object.',
            },
          ],
        },
      },
      { arguments: '{"expression":"2 + 3"}', call: { state: 'waiting' } },
    ])
    // Providers refuse arguments that are not a JSON object.
    expect(product.sentToModel()?.[1]).toMatchObject({
      tool_calls: [{ id: 'aaaaaaaaa', function: { arguments: '{}' } }],
    })
    expect(contentOf(-1)).toContain(broken)
    expect(contentOf(-1)).toContain('one valid JSON object')
    expect((await ada.readChat(chatId)).messages).toEqual(stream.run.messages)
    expect(await product.listRecords(ada)).toEqual([])
  })

  it('among several does not stop the others', async () => {
    product.model.reply([
      { toolCall: { id: 'aaaaaaaaa', name: 'polite__act', arguments: '[1]' } },
      { toolCall: { id: 'bbbbbbbbb', name: 'polite__act', arguments: 'now' } },
      callOf('polite', 'act', {}, 'ccccccccc'),
    ])
    const { stream } = await product.sendNew('Three')
    await stream.ended
    expect(stream.run.messages).toMatchObject([
      {},
      { call: { state: 'answered' } },
      { outcome: { status: 'failed' } },
      { call: { state: 'answered' } },
      { outcome: { status: 'failed' } },
      { call: { state: 'waiting', place: { index: 3, total: 3 } } },
    ])
    expect(await product.countCalls('polite')).toBe(0)
  })

  it('that always has broken JSON ends at the limit of model calls', async () => {
    product.model.when('Forever', [{ toolCall: { name: 'default__calculate', arguments: '{' } }])
    const before = product.model.requests.length
    const { stream } = await product.sendNew('Forever')
    await stream.ended
    expect(product.model.requests.length - before).toBe(50)
    expect(stream.run.messages.at(-1)).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
  })

  it('with arguments that do not fit the schema of its tool is not shown for approval', async () => {
    product.model.reply([callOf('default', 'calculate', { formula: '2 + 3' }, 'aaaaaaaaa')])
    product.model.reply(['I cannot.'])
    const { stream } = await product.sendNew('A sum')
    await stream.ended
    expect(resultOf(stream)?.outcome).toMatchObject({
      status: 'failed',
      parts: [{ type: 'note', text: expect.stringContaining('missing: "expression"') as string }],
    })
    expect(JSON.stringify(resultOf(stream)?.outcome)).not.toContain('call the tool again')
    expect(contentOf(-1)).toContain('Correct the arguments and call the tool again.')
    expect(await product.listRecords(ada)).toEqual([])
  })

  it('because its connector is disconnected says so, and is not shown for approval', async () => {
    product.model.reply([callOf('polite', 'act', {}, 'aaaaaaaaa'), callOf('polite', 'act', {}, 'bbbbbbbbb')])
    const { chatId, stream } = await product.sendNew('Act twice')
    await stream.ended
    await ada.post('/api/mcp-server/polite/disconnect')
    product.model.reply(['It is gone.'])
    const denied = await ada.send(chatId, 'cancel', {
      parentId: stream.run.messages.at(-1)?.id,
      denyOne: true,
    })
    await denied.ended
    expect(resultOf(denied)?.outcome).toMatchObject({ status: 'failed' })
    const reason = 'The connector "polite" is disconnected. Connect it under Settings, Connectors.'
    expect(resultOf(denied)?.content).toContain(reason)
    expect(contentOf(-1)).toContain(reason)
    expect(denied.text).toBe('It is gone.')
    expect(await product.countCalls('polite')).toBe(0)
  })

  it('needs approval unchecked when the schema of its tool takes too long', async () => {
    product.model.reply([callOf('redos', 'redos', { a: `${'a'.repeat(60)}!` })])
    const { stream } = await product.sendNew('Slowly')
    await stream.ended
    expect(stream.run.messages.at(-1)?.call).toMatchObject({ state: 'waiting' })
  })
})
