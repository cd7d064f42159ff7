import { ToolCallList } from '@yonder/contract/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashJson } from '../../lib/canonical-json.ts'
import { engines } from '../../testing/database/test-database.ts'
import { addChat } from '../../testing/factories/chats.ts'
import { openTestApp, type TestApp, type TestClient } from '../../testing/test-app.ts'
import { recordCall, recordDenial } from './call-record-store.ts'

describe.each(engines)('the record of calls on %s', (engine) => {
  let test: TestApp
  let ada: TestClient
  let connector: { id: string; name: string }

  beforeAll(async () => {
    test = await openTestApp({ engine })
    ada = await test.signIn('Ada')
    await ada.get('/api/mcp-servers')
    connector = await test.database.db
      .selectFrom('connectors')
      .select(['id', 'name'])
      .where('user_id', '=', ada.user.id)
      .executeTakeFirstOrThrow()
  })

  afterAll(() => test.close())

  const read = async (query = '', client = ada) => {
    const response = await client.get(`/api/mcp-server/default/calls${query}`)
    expect(response.statusCode).toBe(200)
    return ToolCallList.parse(response.json())
  }

  it('contains a call before it runs, and its outcome afterwards', async () => {
    const recorded = await recordCall(test.deps, ada.user, connector, {
      tool: 'calculate',
      arguments: { b: 1, a: 2 },
      approval: 'listed',
      chatId: null,
    })
    expect((await read()).calls[0]).toMatchObject({ outcome: 'started', duration: null, bytes: null })
    await recorded.end('done', { duration: 12.6, bytes: 20 })
    expect((await read()).calls[0]).toMatchObject({
      connector: 'default',
      tool: 'calculate',
      approval: 'listed',
      outcome: 'done',
      duration: 13,
      bytes: 20,
      arguments_hash: hashJson({ a: 2, b: 1 }),
    })
  })

  it('contains denied calls', async () => {
    await recordDenial(test.deps, ada.user, {
      connectorId: connector.id,
      toolName: 'get_time',
      arguments: '{}',
    })
    await recordDenial(test.deps, ada.user, { connectorId: 'nothing', toolName: 'get_time', arguments: '{}' })
    const { calls } = await read()
    expect(calls.find(({ tool }) => tool === 'get_time')).toMatchObject({
      approval: 'denied',
      outcome: 'denied',
      duration: null,
      bytes: null,
    })
  })

  it('is returned in pages, newest first, even if many calls started at the same time', async () => {
    const deps = { ...test.deps, now: () => 1_900_000_000_000 }
    for (let index = 0; index < 7; index++) {
      await recordCall(deps, ada.user, connector, {
        tool: `t${index}`,
        arguments: {},
        approval: 'once',
        chatId: null,
      })
    }
    const seen: string[] = []
    let query = '?limit=3'
    for (let page = 0; page < 3; page++) {
      const { calls, next } = await read(query)
      seen.push(...calls.map(({ id }) => id))
      if (next !== null) query = `?limit=3&before=${encodeURIComponent(next)}`
    }
    expect(new Set(seen).size).toBe(9)
    const all = (await read('?limit=100')).calls.map(({ id }) => id)
    expect(all.slice(0, 9)).toEqual(seen)
  })

  it('does not show the calls of other users', async () => {
    const bob = await test.signIn('Bob')
    expect((await read('', bob)).calls).toEqual([])
  })

  it.each(['?limit=0', '?limit=101', '?limit=x', '?before=x', "?before=1.a'b"])(
    'refuses the query %s',
    async (query) => {
      expect((await ada.get(`/api/mcp-server/default/calls${query}`)).statusCode).toBe(400)
    },
  )

  describe('of decisions', () => {
    const dayMs = 86_400_000
    const readDecided = async (query = '', client = ada) => {
      const response = await client.get(`/api/tool-calls${query}`)
      expect(response.statusCode).toBe(200)
      return ToolCallList.parse(response.json())
    }
    const decide = async (tool: string, at: number | undefined, fields: object = {}) => {
      const decided = { messageId: `reply of ${tool}`, ...(at === undefined ? {} : { at }), ...fields }
      await recordCall(test.deps, ada.user, connector, {
        tool,
        arguments: {},
        approval: 'once',
        chatId: 'decided-chat',
        decided,
      })
    }

    it('are listed by their time, with who decided, where, and the title of the chat', async () => {
      ada = await test.signIn('Ada')
      await ada.get('/api/mcp-servers')
      connector = await test.database.db
        .selectFrom('connectors')
        .select(['id', 'name'])
        .where('user_id', '=', ada.user.id)
        .executeTakeFirstOrThrow()
      await addChat(test.database.db, { id: 'decided-chat', user_id: ada.user.id, title: 'Owls' })
      const now = Date.now()
      await decide('early', now - 2_000, { on: 'Firefox on Linux', edited: true })
      await decide('undecided', undefined)
      await decide('late', now - 1_000)
      await decide('old', now - 90 * dayMs - 1)
      await decide('kept', now - 90 * dayMs + 60_000)
      const denied = { connectorId: connector.id, arguments: '{}', chatId: 'decided-chat' }
      await recordDenial(test.deps, ada.user, {
        ...denied,
        toolName: 'expired',
        approval: 'expired',
        decided: { messageId: 'm', at: now },
      })
      await recordDenial(test.deps, ada.user, {
        ...denied,
        connectorId: 'deleted',
        connectorName: 'Deleted',
        toolName: 'denied',
        decided: { messageId: 'm', at: now - 3_000, on: 'Safari on iOS' },
      })
      const { calls, next } = await readDecided()
      expect(next).toBeNull()
      expect(calls).toMatchObject([
        { tool: 'expired', approval: 'expired', outcome: 'denied', message_id: 'm', decided_on: null },
        { tool: 'late', approval: 'once', edited: false },
        {
          tool: 'early',
          message_id: 'reply of early',
          decided_at: new Date(now - 2_000).toISOString(),
          decided_on: 'Firefox on Linux',
          edited: true,
          chat_id: 'decided-chat',
          chat_title: 'Owls',
        },
        { tool: 'denied', connector: 'Deleted', approval: 'denied', decided_on: 'Safari on iOS' },
        { tool: 'kept' },
      ])
    })

    it('are returned in pages, also those of the same moment', async () => {
      const at = Date.now()
      for (let index = 0; index < 5; index++) await decide(`same ${index}`, at)
      const seen: string[] = []
      for (let query = '?limit=3', isLast = false; !isLast;) {
        const { calls, next } = await readDecided(query)
        seen.push(...calls.map(({ id }) => id))
        query = `?limit=3&before=${encodeURIComponent(next ?? '')}`
        isLast = next === null
      }
      expect(seen).toHaveLength(10)
      expect(new Set(seen).size).toBe(10)
    })

    it('show neither a deleted chat nor the calls of other users', async () => {
      await test.database.db
        .updateTable('chats')
        .set({ deleted_at: 1 })
        .where('id', '=', 'decided-chat')
        .execute()
      expect((await readDecided()).calls[0]).toMatchObject({ chat_id: null, chat_title: null })
      const bob = await test.signIn('Bob')
      expect((await readDecided('', bob)).calls).toEqual([])
    })
  })

  it('keeps the calls of a deleted connector', async () => {
    await ada.post('/api/mcp-server', { name: 'Gone', url: 'https://x.example' })
    const gone = await test.database.db
      .selectFrom('connectors')
      .select(['id', 'name'])
      .where('name', '=', 'Gone')
      .executeTakeFirstOrThrow()
    await recordCall(test.deps, ada.user, gone, { tool: 'x', arguments: {}, approval: 'once', chatId: null })
    await ada.delete('/api/mcp-server/Gone')
    expect(
      await test.database.db.selectFrom('tool_calls').selectAll().where('connector', '=', 'Gone').execute(),
    ).toHaveLength(1)
  })
})
