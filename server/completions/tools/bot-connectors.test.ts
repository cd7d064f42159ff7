import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { botName, type ChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../../testing/chat/open-tool-app.ts'
import { callOfReply, resultOf } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('the connectors of a bot, on %s', (engine) => {
  let product: ToolApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolApp({ engine })
  })
  beforeEach(async () => {
    ada = await product.join()
    await product.connect(ada, 'polite')
  })
  afterAll(() => product.close())

  const choose = (connectors: readonly string[] | null) =>
    ada.put(`/api/bot/${botName}`, { name: botName, model: 'scripted', connectors })
  const chosen = async () =>
    (await ada.get('/api/bots')).json<{ connectors: string[] | null }[]>().map(({ connectors }) => connectors)

  /** The connectors of the tools in the last request to the model, by their prefixes. */
  function offered(): readonly string[] {
    const tools = product.model.requests.at(-1)?.body['tools'] as { function: { name: string } }[] | undefined
    return [...new Set((tools ?? []).map((tool) => tool.function.name.split('__')[0] ?? ''))].sort()
  }

  async function send(content: string, chatId?: string) {
    const id = chatId ?? (await ada.newChat())
    const stream = await ada.send(id, content)
    await stream.ended
    return { chatId: id, stream }
  }

  const reason = 'This bot may not use the connector "polite", so the tool was not called.'

  it('are all, chosen ones or none', async () => {
    for (const [connectors, expected] of [
      [null, ['default', 'polite']],
      [['polite'], ['polite']],
      [['default'], ['default']],
      [[], []],
      [null, ['default', 'polite']],
    ] as const) {
      await choose(connectors)
      await send('Hi')
      expect(offered()).toEqual(expected)
    }
  })

  it('are refused when the user has none of that name', async () => {
    await choose(['default'])
    const refused = await choose(['default', 'gone'])
    expect(refused.statusCode).toBe(404)
    expect(refused.json()).toEqual({
      error: { code: 'not_found', message: 'You have no connector named "gone".' },
    })
    expect(await chosen()).toEqual([['default']])
  })

  it('are the only ones that a made-up call reaches: one to another connector is refused without approval', async () => {
    await choose(['default'])
    const calls = await product.countCalls('polite')
    product.model.reply([callOf('polite', 'act')])
    product.model.reply(['I may not.'])
    const { stream } = await send('Do it')
    expect(stream.text).toBe('I may not.')
    expect(resultOf(stream)).toMatchObject({ content: reason, outcome: { status: 'failed' } })
    expect(await product.countCalls('polite')).toBe(calls)
    expect(await product.listRecords(ada)).toEqual([])
  })

  it('are checked again when a waiting call is approved', async () => {
    product.model.reply([callOf('polite', 'act')])
    const { chatId, stream } = await send('Do it')
    expect(callOfReply(stream)).toMatchObject({ state: 'waiting' })
    const calls = await product.countCalls('polite')
    await choose([])
    product.model.reply(['Then not.'])
    const confirmed = await ada.confirm(waitingCall(chatId, stream))
    await confirmed.ended
    expect(resultOf(confirmed)).toMatchObject({ content: reason })
    expect(offered()).toEqual([])
    expect(await product.countCalls('polite')).toBe(calls)
  })

  it('are not connected, waited for or reported when the bot may not use them', async () => {
    const silent = { name: 'silent', url: product.mcpServer.url('silent'), allow_tools: [] }
    await ada.post('/api/mcp-server', silent)
    await product.database.db
      .updateTable('connectors')
      .set({ status: 'connected' })
      .where('user_id', '=', ada.user.id)
      .where('name', '=', 'silent')
      .execute()
    await choose(['polite'])
    const { stream } = await send('Hi')
    expect(JSON.stringify(stream.events)).toContain('"server":"polite"')
    expect(JSON.stringify(stream.events)).not.toContain('"server":"silent"')
    expect(JSON.stringify(stream.events)).not.toContain('"server":"default"')
    expect(await product.mcpServer.seen('silent')).toEqual([])
  })

  it('follow a connector that is renamed, in the other tabs too', async () => {
    await ada.post('/api/bot', { name: 'Free', model: 'scripted' })
    await choose(['default', 'polite'])
    const url = product.mcpServer.url('polite')
    await ada.put('/api/mcp-server/polite', { name: 'Courteous', url })
    expect(await chosen()).toEqual([['default', 'Courteous'], null])
    await send('Hi')
    expect(offered()).toEqual(['default', 'polite'])
    // A refused rename changes no bot.
    expect((await ada.put('/api/mcp-server/Courteous', { name: 'default', url })).statusCode).toBe(409)
    expect(await chosen()).toEqual([['default', 'Courteous'], null])
  })

  it('lose a connector that is deleted, so that another one of its name is not used', async () => {
    await choose(['polite'])
    await ada.delete('/api/mcp-server/polite')
    expect(await chosen()).toEqual([[]])
    await product.connect(ada, 'polite')
    await send('Hi')
    expect(offered()).toEqual([])
  })

  it('of another user’s bots stay as they are', async () => {
    const eve = await product.join('Eve')
    await product.connect(eve, 'polite')
    await eve.put(`/api/bot/${botName}`, { name: botName, model: 'scripted', connectors: ['polite'] })
    await ada.put('/api/mcp-server/polite', { name: 'Mine', url: product.mcpServer.url('polite') })
    await ada.delete('/api/mcp-server/Mine')
    expect((await eve.get('/api/bots')).json()).toMatchObject([{ connectors: ['polite'] }])
  })
})
