import { afterEach, describe, expect, it } from 'vitest'
import type { LiveEvent } from '@yonder/contract/live'
import { openLiveStream } from '../testing/chat/open-live-stream.ts'
import type { LiveStream } from '../testing/chat/open-live-stream.ts'
import { createChatClient } from '../testing/chat/open-chat-app.ts'
import { openToolApp } from '../testing/chat/open-tool-app.ts'
import type { ToolApp } from '../testing/chat/open-tool-app.ts'
import { startChatNode } from '../testing/chat/start-chat-node.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'

/** Which lists a stream has told of since it was last asked. */
function createListener(stream: LiveStream) {
  let heard = 0
  const lists = () =>
    stream
      .events()
      .filter((event): event is Extract<LiveEvent, { type: 'changed' }> => event.type === 'changed')
      .map(({ what }) => what)
  return async (count: number): Promise<readonly string[]> => {
    await stream.until(() => lists().length >= heard + count)
    const news = lists().slice(heard)
    heard += news.length
    return news
  }
}

describe.each(engines)('news of settings on %s', (engine) => {
  let product: ToolApp
  afterEach(() => product.close())

  async function open() {
    product = await openToolApp({ engine })
    const ada = await product.join()
    const stream = await openLiveStream(product.base, ada.headers)
    return { ada, stream, hear: createListener(stream) }
  }

  it('tell of every change of bots and of none that was refused', async () => {
    const { ada, stream, hear } = await open()
    const eve = await product.join('Eve')
    const stranger = await openLiveStream(product.base, eve.headers)
    const bot = { name: 'Owl', model: 'owl-1' }
    await ada.post('/api/bot', bot)
    expect(await hear(1)).toEqual(['bots'])
    expect((await ada.post('/api/bot', bot)).statusCode).toBe(409)
    expect((await ada.put('/api/bot/Nobody', bot)).statusCode).toBe(404)
    expect((await ada.delete('/api/bot/Nobody')).statusCode).toBe(404)
    await ada.put('/api/bot/Owl', { ...bot, name: 'Eagle' })
    expect(await hear(1)).toEqual(['bots'])
    await ada.delete('/api/bot/Eagle')
    expect(await hear(1)).toEqual(['bots'])
    expect(stranger.events()).toEqual([{ type: 'ready', runs: [] }])
    for (const each of [stream, stranger]) each.leave()
  })

  it('tell of connectors as their person and their server change them', async () => {
    const { ada, stream, hear } = await open()
    const connector = { name: 'Tools', url: product.servers.url('polite'), allow_tools: [] }
    await ada.post('/api/mcp-server', connector)
    expect(await hear(1)).toEqual(['connectors'])
    await ada.post('/api/mcp-server/Tools/connect')
    expect(await hear(1)).toEqual(['connectors'])
    await ada.put('/api/mcp-server/Tools', { ...connector, allow_tools: ['echo'] })
    expect(await hear(1)).toEqual(['connectors'])
    // Nothing that anybody could see has changed.
    await ada.post('/api/mcp-server/Tools/connect')
    await ada.post('/api/mcp-server/Tools/disconnect')
    expect(await hear(1)).toEqual(['connectors'])
    expect((await ada.delete('/api/mcp-server/Nothing')).statusCode).toBe(404)
    await ada.delete('/api/mcp-server/Tools')
    expect(await hear(1)).toEqual(['connectors'])
    stream.leave()
  })

  it('do not make a list call for itself, however often it is read', async () => {
    const { ada, stream, hear } = await open()
    // What the first look finds out of the default connector is news; after that there is none.
    await ada.get('/api/mcp-servers')
    expect(await hear(1)).toEqual(['connectors'])
    await ada.get('/api/mcp-servers')
    await ada.get('/api/mcp-servers')
    await ada.post('/api/bot', { name: 'Last', model: 'last' })
    expect(await hear(1)).toEqual(['bots'])
    stream.leave()
  })

  it('tell of integrations, and of the connectors that come and go with them', async () => {
    const { ada, stream, hear } = await open()
    const integration = { name: 'tavily', auth_type: 'api_key', api_key: 'tvly-1234567890abcdef' }
    await ada.post('/api/integration', integration)
    expect(await hear(2)).toEqual(['integrations', 'connectors'])
    expect((await ada.post('/api/integration', integration)).statusCode).toBe(409)
    await ada.put('/api/integration/tavily', { ...integration, api_key: 'tvly-another-key-of-it' })
    expect(await hear(2)).toEqual(['integrations', 'connectors'])
    await ada.post('/api/integration/disconnect/tavily')
    expect(await hear(2)).toEqual(['integrations', 'connectors'])
    stream.leave()
  })

  it.runIf(isConcurrent(engine) && engine === 'postgres')(
    'tell what is changed at another server',
    async () => {
      const { ada, stream, hear } = await open()
      const far = await startChatNode(product.database, ada, product.model.baseUrl)
      try {
        const there = createChatClient(far.base, ada)
        await there.post('/api/bot', { name: 'Far', model: 'far' })
        expect(await hear(1)).toEqual(['bots'])
      } finally {
        stream.leave()
        await far.kill()
      }
    },
  )
})
