import type { LeftOutTools } from '@yonder/contract/tool-call'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import type { TestStream } from '../../testing/chat/open-stream.ts'
import { callOf } from '../../testing/chat/open-tool-app.ts'
import { openToolScene, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('a reply whose request cannot have all tools, on %s', (engine) => {
  let product: ToolScene
  beforeAll(async () => {
    product = await openToolScene({ engine })
  })
  afterAll(() => product.close())

  /** A user with the built-in connector and connectors of these behaviours. */
  async function join(...behaviours: readonly (readonly [name: string, behaviour: string])[]) {
    const user = await product.join()
    for (const [name, behaviour] of behaviours) await product.connect(user, behaviour, { name })
    return { user, chatId: await user.newChat() }
  }

  async function send(user: ChatClient, chatId: string, content: string): Promise<TestStream> {
    const stream = await user.send(chatId, content)
    await stream.ended
    return stream
  }

  const leftOutOf = ({ run }: TestStream): LeftOutTools | undefined => run.messages.at(-1)?.left_out_tools

  /** The names of the tools in the last request to the model. */
  function offered(): readonly string[] {
    const tools = product.model.requests.at(-1)?.body['tools'] as { function: { name: string } }[] | undefined
    return (tools ?? []).map((tool) => tool.function.name)
  }
  const countOf = (slug: string): number => offered().filter((name) => name.startsWith(`${slug}__`)).length

  it('offers a share of every connector and says what is left out, once, also for another version', async () => {
    const { user, chatId } = await join(['alpha', 'many'], ['zulu', 'many'])
    const first = await send(user, chatId, 'Hi')
    expect(offered()).toHaveLength(128)
    expect([countOf('alpha'), countOf('zulu'), countOf('default')]).toEqual([63, 63, 2])
    const leftOut = leftOutOf(first)
    expect(leftOut).toMatchObject({
      max_tools: 128,
      connectors: [
        { server: 'alpha', count: 137 },
        { server: 'zulu', count: 137 },
      ],
    })
    expect(leftOut?.connectors[0]?.tools).toEqual(Array.from({ length: 10 }, (_, index) => `t${63 + index}`))
    expect((await user.readChat(chatId)).messages.at(-1)?.left_out_tools).toEqual(leftOut)

    const second = await send(user, chatId, 'And now?')
    expect(leftOutOf(second)).toBeUndefined()
    expect(offered()).toHaveLength(128)

    const userMessageId = first.run.messages[0]?.id
    const other = await user.complete({ chatId, userMessageId })
    await other.ended
    expect(leftOutOf(other)).toEqual(leftOut)
  })

  it('says when nothing is left out any more', async () => {
    const { user, chatId } = await join(['alpha', 'many'])
    expect(leftOutOf(await send(user, chatId, 'Hi'))?.connectors).toHaveLength(1)
    await user.post('/api/mcp-server/alpha/disconnect')
    expect(leftOutOf(await send(user, chatId, 'And now?'))).toEqual({ connectors: [] })
    expect(leftOutOf(await send(user, chatId, 'And then?'))).toBeUndefined()
  })

  it('offers tools first that the user allows or has used', async () => {
    const { user, chatId } = await join(['alpha', 'many'])
    await send(user, chatId, 'Hi')
    expect(offered()).not.toContain('alpha__t199')
    await user.put('/api/mcp-server/alpha', {
      name: 'alpha',
      url: product.mcpServer.url('many'),
      allow_tools: ['t199', 't198'],
    })
    // The model names a tool of an earlier reply.
    product.model.reply([callOf('alpha', 't198')])
    await send(user, chatId, 'Use it')
    expect(offered()).toContain('alpha__t199')
    await user.put('/api/mcp-server/alpha', {
      name: 'alpha',
      url: product.mcpServer.url('many'),
      allow_tools: [],
    })
    await send(user, chatId, 'And now?')
    expect(offered()).toContain('alpha__t198')
    expect(offered()).not.toContain('alpha__t199')
  })

  it('limits the text of all tools', async () => {
    const { user, chatId } = await join(['heavy', 'heavy'])
    const stream = await send(user, chatId, 'Hi')
    expect(JSON.stringify(product.model.requests.at(-1)?.body).length).toBeLessThan(300_000)
    expect(leftOutOf(stream)).toMatchObject({
      max_chars: 250_000,
      connectors: [{ server: 'heavy', count: 32 }],
    })
    expect(countOf('heavy')).toBe(8)
    expect(countOf('default')).toBe(2)
  })
})
