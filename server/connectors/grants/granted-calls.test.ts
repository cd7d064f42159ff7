import { ToolCallList } from '@yonder/contract/connector'
import { type Grant, GrantList } from '@yonder/contract/grant'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { botName, type ChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, type ToolApp } from '../../testing/chat/open-tool-app.ts'
import { callOfReply, resultOf } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'
import { startChangingMcpServer, type ChangingMcpServer } from '../../testing/mcp/changing-mcp-server.ts'

describe.each(engines)('a reply whose calls are allowed by grants, on %s', (engine) => {
  let product: ToolApp
  let limited: ToolApp
  let server: ChangingMcpServer
  let ada: ChatClient

  beforeAll(async () => {
    server = await startChangingMcpServer()
    product = await openToolApp({ engine })
    const environment = { TOOLS_ALWAYS_ASK: `${new URL(server.url).host}/act`, TOOLS_BLOCKED: '*/t0' }
    limited = await openToolApp({ engine, environment })
  })
  beforeEach(async () => {
    ada = await product.join()
    await join(ada)
    server.seen.length = 0
  })
  afterAll(async () => {
    await product.close()
    await limited.close()
    await server.close()
  })

  async function join(client: ChatClient, allow_tools: string[] | null = []) {
    await client.post('/api/mcp-server', { name: 'Code', url: server.url, allow_tools })
    await client.post('/api/mcp-server/Code/connect')
  }
  async function grant(limits: object): Promise<Grant> {
    const row = await product.database.db
      .selectFrom('connector_tools as t')
      .innerJoin('connectors as c', 'c.id', 't.connector_id')
      .select('t.fingerprint')
      .where('c.user_id', '=', ada.user.id)
      .where('c.name', '=', 'Code')
      .executeTakeFirstOrThrow()
    const response = await ada.post('/api/grants', { server: 'Code', tool: 'act', ...row, ...limits })
    if (response.statusCode !== 201) throw new Error(response.body)
    return response.json<Grant>()
  }
  const grants = async () => GrantList.parse((await ada.get('/api/grants')).json()).grants
  const act = (repository = 'yonder/app') => callOf('Code'.toLowerCase(), 'act', { repository })
  const counted = () => server.seen.filter((method) => method === 'tools/call').length
  const rule = { argument: 'repository', test: 'begins', value: 'yonder/' } as const

  it('calls what a rule allows, asks for the rest, and counts and records the use', async () => {
    const chatId = await ada.newChat()
    product.model.reply([act()])
    product.model.reply([act('other/app')])
    // A chat exists from its first message on.
    const created = await grant({ bot: botName, rule })
    const stream = await ada.send(chatId, 'Act')
    await stream.ended
    expect(counted()).toBe(1)
    expect(callOfReply(stream)).toMatchObject({ state: 'waiting' })
    expect(await grants()).toMatchObject([{ id: created.id, uses: 1, used_at: expect.any(String) as string }])
    const { calls } = ToolCallList.parse((await ada.get('/api/mcp-server/Code/calls')).json())
    expect(calls).toMatchObject([
      {
        approval: 'granted',
        grant_id: created.id,
        outcome: 'done',
        chat_id: chatId,
        chat_title: 'Act',
        decided_at: null,
      },
    ])
  })

  it('asks again from the next call on, when the grant is revoked while the reply is written', async () => {
    const created = await grant({ minutes: 5 })
    const gate = product.model.gate()
    product.model.reply([act()])
    product.model.reply(['One moment.', gate, act()])
    const stream = await ada.send(await ada.newChat(), 'Act twice')
    await stream.until(({ text }) => text.includes('One moment.'))
    expect(counted()).toBe(1)
    await ada.delete(`/api/grants/${created.id}`)
    gate.open()
    await stream.ended
    expect(callOfReply(stream)).toMatchObject({ state: 'waiting' })
    expect(counted()).toBe(1)
    // The record names the grant although it is gone.
    const { calls } = ToolCallList.parse((await ada.get('/api/mcp-server/Code/calls')).json())
    expect(calls).toMatchObject([{ grant_id: created.id }])
  })

  it('asks again from the next call on, when everything is taken back while the reply is written', async () => {
    await ada.patch('/api/mcp-server/Code', { tools: [{ name: 'act', permission: 'allow' }] })
    const gate = product.model.gate()
    product.model.reply([act()])
    product.model.reply(['One moment.', gate, act()])
    const stream = await ada.send(await ada.newChat(), 'Act twice')
    await stream.until(({ text }) => text.includes('One moment.'))
    expect(await grants()).toMatchObject([{ tool: 'act', limits: {}, uses: 1 }])
    await ada.delete('/api/grants?all=true')
    gate.open()
    await stream.ended
    expect(callOfReply(stream)).toMatchObject({ state: 'waiting' })
    expect(counted()).toBe(1)
  })

  it('asks in another chat, and for another bot', async () => {
    const chatId = await ada.newChat()
    product.model.reply(['Hello.'])
    await (
      await ada.send(chatId, 'Hi')
    ).ended
    await grant({ chatId })
    product.model.reply([act()])
    product.model.reply(['Done.'])
    const own = await ada.send(chatId, 'Act', { parentId: (await ada.readChat(chatId)).messages.at(-1)?.id })
    await own.ended
    expect(resultOf(own)?.outcome?.status).toBe('done')
    product.model.reply([act()])
    const other = await ada.send(await ada.newChat(), 'Act')
    await other.ended
    expect(callOfReply(other)).toMatchObject({ state: 'waiting' })
    await ada.post('/api/bot', { name: 'Owl', model: 'scripted' })
    await ada.delete('/api/grants?all=true')
    await grant({ bot: 'Owl' })
    product.model.reply([act()])
    const helper = await ada.send(await ada.newChat(), 'Act')
    await helper.ended
    expect(callOfReply(helper)).toMatchObject({ state: 'waiting' })
    product.model.reply([act()])
    product.model.reply(['Done.'])
    const owl = await ada.send(await ada.newChat(), 'Act', { botName: 'Owl' })
    await owl.ended
    expect(resultOf(owl)?.outcome?.status).toBe('done')
  })

  it('always asks, and is offered no blocked tool, as the operator has decided', async () => {
    const eve = await limited.join()
    await join(eve, null)
    await limited.connect(eve, 'many', { allow_tools: null })
    limited.model.reply([act()])
    const stream = await eve.send(await eve.newChat(), 'Act')
    await stream.ended
    expect(callOfReply(stream)).toMatchObject({ state: 'waiting' })
    const tools = limited.model.requests.at(-1)?.body['tools'] as { function: { name: string } }[]
    const names = tools.map((tool) => tool.function.name)
    expect(names).toContain('many__t1')
    expect(names).not.toContain('many__t0')
    limited.model.reply([callOf('many', 't0')])
    limited.model.reply(['It is blocked.'])
    const refused = await eve.send(await eve.newChat(), 'Try')
    await refused.ended
    expect(resultOf(refused)?.content).toContain(
      'The operator of this server has blocked the tool "t0" of many, so it was not called.',
    )
    expect(await limited.countCalls('many')).toBe(0)
  })
})
