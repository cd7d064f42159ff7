import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../../testing/chat/open-tool-app.ts'
import { callOfReply, resultOf } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('blocked tools of a chat, on %s', (engine) => {
  let product: ToolApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolApp({ engine })
  })
  beforeEach(async () => {
    ada = await product.join()
  })
  afterAll(() => product.close())

  const change = (name: string, fields: object, behaviour = name) =>
    ada.put(`/api/mcp-server/${name}`, { name, url: product.mcpServer.url(behaviour), ...fields })

  function offered(): readonly string[] {
    const tools = product.model.requests.at(-1)?.body['tools'] as { function: { name: string } }[] | undefined
    return (tools ?? []).map((tool) => tool.function.name)
  }

  async function send(content: string, chatId?: string) {
    const id = chatId ?? (await ada.newChat())
    const stream = await ada.send(id, content)
    await stream.ended
    return { chatId: id, stream }
  }

  const reason = 'The user has blocked the tool "act" of polite, so it was not called.'

  it('are in no request, and the others keep their names', async () => {
    await product.connect(ada, 'many')
    await send('Hi')
    const before = offered()
    expect(before).toContain('many__t0')
    await change('many', { block_tools: ['t0'] })
    await send('Hi')
    expect(offered()).not.toContain('many__t0')
    expect(before).toEqual(expect.arrayContaining(offered().filter((name) => name !== 'many__t126')))
    await change('many', { block_tools: [] })
    await send('Hi')
    expect(offered()).toEqual(before)
  })

  it('make room for others, and the reply says how many tools are offered', async () => {
    await product.connect(ada, 'many')
    const { chatId, stream } = await send('Hi')
    expect(stream.run.messages.at(-1)?.left_out_tools).toMatchObject({ offered: 128, total: 202 })
    await change('many', { block_tools: Array.from({ length: 60 }, (_, index) => `t${index}`) })
    const { stream: second } = await send('And now?', chatId)
    expect(second.run.messages.at(-1)?.left_out_tools).toMatchObject({
      offered: 128,
      total: 142,
      connectors: [{ server: 'many', count: 14 }],
    })
    expect(offered()).toContain('many__t150')
    await change('many', { block_tools: Array.from({ length: 100 }, (_, index) => `t${index}`) })
    const { stream: third } = await send('And then?', chatId)
    expect(third.run.messages.at(-1)?.left_out_tools).toEqual({ connectors: [] })
  })

  it.each([
    ['needs approval', []],
    ['runs without approval', null],
  ] as const)(
    'are not called although the model names them, when the others need: %s',
    async (_, allow_tools) => {
      await product.connect(ada, 'polite', { allow_tools })
      const calls = await product.countCalls('polite')
      await change('polite', { block_tools: ['act'] })
      product.model.reply([callOf('polite', 'act')])
      product.model.reply(['I may not.'])
      const { stream } = await send('Do it')
      expect(stream.text).toBe('I may not.')
      expect(resultOf(stream)).toMatchObject({
        content: reason,
        outcome: { status: 'failed', blocked: true },
      })
      expect(await product.countCalls('polite')).toBe(calls)
      expect(await product.listRecords(ada)).toEqual([])
    },
  )

  it('are not called when the user allows a call that waited while its tool was blocked', async () => {
    await product.connect(ada, 'polite')
    const calls = await product.countCalls('polite')
    product.model.reply([callOf('polite', 'act')])
    const { chatId, stream } = await send('Do it')
    expect(callOfReply(stream)).toMatchObject({ state: 'waiting' })
    await change('polite', { block_tools: ['act'] })
    product.model.reply(['Then not.'])
    const confirmed = await ada.confirm(waitingCall(chatId, stream))
    await confirmed.ended
    expect(resultOf(confirmed)).toMatchObject({
      content: reason,
      outcome: { status: 'failed', blocked: true },
    })
    expect(confirmed.text).toBe('Then not.')
    expect(await product.countCalls('polite')).toBe(calls)
    expect(await product.listRecords(ada)).toEqual([])
  })

  it('cannot be always allowed from a waiting call', async () => {
    await product.connect(ada, 'polite')
    product.model.reply([callOf('polite', 'act')])
    const { stream } = await send('Do it')
    await change('polite', { block_tools: ['act'] })
    const { fingerprint = '', credential = '' } = callOfReply(stream) ?? {}
    const tools = [{ name: 'act', permission: 'allow', fingerprint }]
    const response = await ada.patch('/api/mcp-server/polite', { tools, credential })
    expect(response.statusCode).toBe(409)
    expect((await ada.get('/api/mcp-servers')).body).toContain('"allow_tools":[],"block_tools":["act"]')
  })

  it('are refused between two calls of one reply', async () => {
    await product.connect(ada, 'polite')
    product.model.reply([callOf('polite', 'act', {}, 'a'), callOf('polite', 'act', {}, 'b')])
    const { chatId, stream } = await send('Twice')
    const calls = await product.countCalls('polite')
    // The tool is blocked while the first call is confirmed, so both are answered without being made.
    await change('polite', { block_tools: ['act'] })
    product.model.reply(['Neither.'])
    const confirmed = await ada.confirm(waitingCall(chatId, stream))
    await confirmed.ended
    const results = confirmed.run.messages.filter(({ outcome }) => outcome !== undefined)
    expect(results.map(({ content }) => content)).toEqual([reason, reason])
    expect(await product.countCalls('polite')).toBe(calls)
  })
})
