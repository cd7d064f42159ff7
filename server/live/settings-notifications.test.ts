import type { LiveEvent } from '@yonder/contract/live'
import { afterEach, describe, expect, it } from 'vitest'
import { createChatClient } from '../testing/chat/open-chat-app.ts'
import { openLiveStream, type LiveStream } from '../testing/chat/open-live-stream.ts'
import { openToolApp, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { startChatNode } from '../testing/chat/start-chat-node.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'

/** Returns the lists that a stream reported as changed since the last call. */
function createListener(stream: LiveStream) {
  let seen = 0
  const lists = () =>
    stream
      .events()
      .filter((event): event is Extract<LiveEvent, { type: 'changed' }> => event.type === 'changed')
      .map(({ what }) => what)
  return async (count: number): Promise<readonly string[]> => {
    await stream.until(() => lists().length >= seen + count)
    const changed = lists().slice(seen)
    seen += changed.length
    return changed
  }
}

describe.each(engines)('notifications of settings on %s', (engine) => {
  let product: ToolApp
  afterEach(() => product.close())

  async function open() {
    product = await openToolApp({ engine })
    const ada = await product.join()
    const stream = await openLiveStream(product.base, ada.headers)
    return { ada, stream, nextLists: createListener(stream) }
  }

  it('report every change of bots, but not a refused one', async () => {
    const { ada, stream, nextLists } = await open()
    const eve = await product.join('Eve')
    const eveTab = await openLiveStream(product.base, eve.headers)
    const bot = { name: 'Owl', model: 'owl-1' }
    await ada.post('/api/bot', bot)
    expect(await nextLists(1)).toEqual(['bots'])
    expect((await ada.post('/api/bot', bot)).statusCode).toBe(409)
    expect((await ada.put('/api/bot/Nobody', bot)).statusCode).toBe(404)
    expect((await ada.delete('/api/bot/Nobody')).statusCode).toBe(404)
    await ada.put('/api/bot/Owl', { ...bot, model: 'owl-2' })
    expect(await nextLists(1)).toEqual(['bots'])
    await ada.put('/api/bot/Owl', { ...bot, name: 'Eagle' })
    expect(await nextLists(3)).toEqual(['bots', 'names', 'projects'])
    await ada.delete('/api/bot/Eagle')
    expect(await nextLists(3)).toEqual(['bots', 'names', 'projects'])
    expect(eveTab.events()).toEqual([{ type: 'ready', runs: [] }])
    for (const each of [stream, eveTab]) each.leave()
  })

  it('report every change of projects, but not a refused one', async () => {
    const { ada, stream, nextLists } = await open()
    const { id } = (await ada.post('/api/project', { name: 'Thesis' })).json<{ id: string }>()
    expect(await nextLists(1)).toEqual(['projects'])
    expect((await ada.post('/api/project', { name: '' })).statusCode).toBe(400)
    expect((await ada.put('/api/project/nothing', { name: 'Other' })).statusCode).toBe(404)
    expect((await ada.delete('/api/project/nothing')).statusCode).toBe(404)
    await ada.put(`/api/project/${id}`, { name: 'Dissertation' })
    await ada.delete(`/api/project/${id}`)
    expect(await nextLists(2)).toEqual(['projects', 'projects'])
    stream.leave()
  })

  it('report changes of connectors by the user and by their server', async () => {
    const { ada, stream, nextLists } = await open()
    const connector = { name: 'Tools', url: product.mcpServer.url('polite'), allow_tools: [] }
    await ada.post('/api/mcp-server', connector)
    expect(await nextLists(1)).toEqual(['connectors'])
    await ada.post('/api/mcp-server/Tools/connect')
    expect(await nextLists(1)).toEqual(['connectors'])
    await ada.put('/api/mcp-server/Tools', { ...connector, allow_tools: ['echo'] })
    expect((await nextLists(2)).toSorted()).toEqual(['connectors', 'grants'])
    // Connecting again changes nothing visible, so it sends no notification.
    await ada.post('/api/mcp-server/Tools/connect')
    await ada.post('/api/mcp-server/Tools/disconnect')
    expect(await nextLists(1)).toEqual(['connectors'])
    expect((await ada.delete('/api/mcp-server/Nothing')).statusCode).toBe(404)
    await ada.delete('/api/mcp-server/Tools')
    expect((await nextLists(4)).toSorted()).toEqual(['bots', 'connectors', 'grants', 'names'])
    stream.leave()
  })

  it('report the bots and the names too when a connector is renamed or deleted', async () => {
    const { ada, stream, nextLists } = await open()
    const url = product.mcpServer.url('polite')
    await ada.post('/api/mcp-server', { name: 'Tools', url })
    expect(await nextLists(1)).toEqual(['connectors'])
    await ada.post('/api/bot', { name: 'Owl', model: 'owl-1', connectors: ['Tools'] })
    expect(await nextLists(1)).toEqual(['bots'])
    await ada.put('/api/mcp-server/Tools', { name: 'Utilities', url })
    expect((await nextLists(4)).toSorted()).toEqual(['bots', 'connectors', 'grants', 'names'])
    await ada.patch('/api/mcp-server/Utilities', { tools: [], asks: true })
    expect((await nextLists(2)).toSorted()).toEqual(['connectors', 'grants'])
    await ada.delete('/api/mcp-server/Utilities')
    expect((await nextLists(4)).toSorted()).toEqual(['bots', 'connectors', 'grants', 'names'])
    stream.leave()
  })

  it('are not sent when a list is only read', async () => {
    const { ada, stream, nextLists } = await open()
    // The first read discovers the default connector's tools and notifies once; later reads do not.
    await ada.get('/api/mcp-servers')
    expect(await nextLists(1)).toEqual(['connectors'])
    await ada.get('/api/mcp-servers')
    await ada.get('/api/mcp-servers')
    await ada.post('/api/bot', { name: 'Last', model: 'last' })
    expect(await nextLists(1)).toEqual(['bots'])
    stream.leave()
  })

  it('report integrations, and the connectors that they add and remove', async () => {
    const { ada, stream, nextLists } = await open()
    const integration = { name: 'tavily', auth_type: 'api_key', api_key: 'tvly-1234567890abcdef' }
    await ada.post('/api/integration', integration)
    expect(await nextLists(2)).toEqual(['integrations', 'connectors'])
    expect((await ada.post('/api/integration', integration)).statusCode).toBe(409)
    await ada.put('/api/integration/tavily', { ...integration, api_key: 'tvly-another-key-of-it' })
    expect(await nextLists(2)).toEqual(['integrations', 'connectors'])
    await ada.post('/api/integration/disconnect/tavily')
    expect(await nextLists(2)).toEqual(['integrations', 'connectors'])
    stream.leave()
  })

  it.runIf(isConcurrent(engine) && engine === 'postgres')(
    'report changes that were made on another server',
    async () => {
      const { ada, stream, nextLists } = await open()
      const far = await startChatNode(product.database, ada, product.model.baseUrl)
      try {
        const there = createChatClient(far.base, ada)
        await there.post('/api/bot', { name: 'Far', model: 'far' })
        expect(await nextLists(1)).toEqual(['bots'])
      } finally {
        stream.leave()
        await far.kill()
      }
    },
  )
})
