import type { ChangedChats, ListedChat, ListedChats } from '@yonder/contract/chat-list'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ChatRow } from '../../db/tables/tables.ts'
import { countWaiting } from '../../testing/database/count-waiting.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'
import { addChat, addPath } from '../../testing/factories/chats.ts'
import { statusAndBody } from '../../testing/send-request.ts'
import { openTestApp, type TestApp, type TestClient } from '../../testing/test-app.ts'
import { touchChat } from '../chat-store.ts'

let users = 0

describe.each(engines)('a change of chats in the list, on %s', (engine) => {
  let product: TestApp
  let ada: TestClient
  beforeAll(async () => {
    product = await openTestApp({ engine })
  })
  afterAll(() => product.close())
  beforeEach(async () => {
    ada = await product.signIn(`Ada ${users++}`)
  })

  /** Stores a chat whose first message is its name. */
  const add = async (name: string, fields: Partial<ChatRow> = {}, owner = ada) => {
    const id = `${owner.user.id}-${name.replaceAll(' ', '-')}`
    await addChat(product.database.db, { id, user_id: owner.user.id, updated_at: 5, ...fields })
    await addPath(product.database.db, { id, updated_at: 5 }, [{ content: name }])
    return id
  }
  const addProject = async (owner = ada) => {
    const id = `project-of-${owner.user.id}`
    await product.database.db
      .insertInto('projects')
      .values({ id, user_id: owner.user.id, name: id, instructions: '', bot_id: null, created_at: 1 })
      .execute()
    return id
  }
  const change = async (chats: unknown, changes: Record<string, unknown>, more = {}) => {
    const response = await ada.patch('/api/chats', { chats, change: changes, ...more })
    expect([200, response.body]).toEqual([response.statusCode, response.body])
    return response.json<ChangedChats>()
  }
  const list = async (query: string) => (await ada.get(`/api/chat-list?${query}`)).json<ListedChats>().chats
  const refuse = async (body: unknown) => {
    const before = await hashTables(product.database)
    const response = await ada.patch('/api/chats', body)
    expect(await hashTables(product.database)).toEqual(before)
    return statusAndBody(response)
  }
  const rename = async (id: string, title: string): Promise<ListedChat | undefined> =>
    (await change([id], { title })).chats?.[0]

  it('gives one a title of one line, without what nobody sees, and the default one back', async () => {
    const id = await add('The first words')
    expect(await rename(id, '  My\n\u202Epl\u0000an\u200B \u2066x ')).toMatchObject({
      title: 'My pl\uFFFDan x',
      title_source: 'user',
      update_time: new Date(5).toISOString(),
    })
    expect(await rename(id, 'תכנית 2')).toMatchObject({ title: 'תכנית 2' })
    expect(await list('section=all&filter=תכנית')).toHaveLength(1)
    expect(await rename(id, 'x'.repeat(200))).toMatchObject({ title: 'x'.repeat(200) })
    for (const title of ['x'.repeat(201), 'x'.repeat(10_000)])
      expect(await refuse({ chats: [id], change: { title } })).toEqual({
        status: 400,
        body: {
          error: { code: 'invalid_request', message: 'change.title: must have at most 200 characters' },
        },
      })
    expect(await rename(id, '\u200B \u202E')).toEqual({
      id,
      title: 'The first words',
      update_time: new Date(5).toISOString(),
    })
    expect(await list('section=all&filter=words')).toHaveLength(1)
    await change([id], { pinned: true })
    expect((await ada.get(`/api/chats/${id}`)).json()).toMatchObject({
      title: 'The first words',
      pinned: true,
    })
  })

  it('moves some between sections, and leaves their order', async () => {
    const project_id = await addProject()
    const ids = [await add('1'), await add('2', { updated_at: 6 })]
    const all = { pinned: true, archived: true, unread: true, project_id }
    const first = await change([...ids, 'never-was'], all)
    expect(first.ids).toHaveLength(2)
    const moved = await list('section=archived')
    expect(moved.map(({ id }) => id)).toEqual(ids.toReversed())
    expect(moved[1]).toEqual({ id: ids[0], title: '1', update_time: new Date(5).toISOString(), ...all })
    expect(first.chats).toEqual(expect.arrayContaining(moved))
    expect(await change(ids, all)).toEqual({ ids: [], chats: [] })
    await change(ids, { pinned: false, archived: false, unread: false, project_id: null })
    expect(await list('section=recent')).toEqual(
      moved.map(({ id, title, update_time }) => ({ id, title, update_time })),
    )
  })

  it('is of all chats of a section whose titles match', async () => {
    const project = await addProject()
    await add('Trip to Rome', { project_id: project })
    await add('Trip home', { project_id: project, pinned: 1 })
    await add('Trip of others')
    const inProject = { section: 'project', project, filter: 'TRIP' }
    expect((await change({ ...inProject, filter: 'trip rome' }, { archived: true })).ids).toHaveLength(1)
    expect((await change(inProject, { archived: true })).ids).toHaveLength(1)
    expect((await change(inProject, { archived: true })).ids).toHaveLength(0)
    expect((await list('section=archived')).map(({ title }) => title).toSorted()).toEqual([
      'Trip home',
      'Trip to Rome',
    ])
    expect((await change({ section: 'recent' }, { pinned: true })).ids).toHaveLength(1)
  })

  it('answers without the chats when they are more than 200', async () => {
    for (let index = 0; index < 260; index++)
      await addChat(product.database.db, { id: `${ada.user.id}-${index}`, user_id: ada.user.id })
    const { ids, ...answer } = await change({ section: 'recent' }, { archived: true })
    expect(answer).toEqual({})
    expect(new Set(ids).size).toBe(260)
    expect(ids).toHaveLength(260)
    expect(await list('section=recent')).toEqual([])
  })

  it('marks as read only what the user has seen', async () => {
    const id = await add('A reply', { unread: 1, updated_at: 1_000 })
    const seen = (time: number) => change([id], { unread: false }, { seen: new Date(time).toISOString() })
    expect((await seen(999)).ids).toHaveLength(0)
    expect((await list('section=recent'))[0]?.unread).toBe(true)
    expect((await seen(1_000)).ids).toHaveLength(1)
    expect((await list('section=recent'))[0]?.unread).toBeUndefined()
  })

  it('is never one of the chats of another user, nor of deleted ones', async () => {
    const eve = await product.signIn(`Eve ${users++}`)
    const foreign = await add('foreign', {}, eve)
    const deleted = await add('deleted', { deleted_at: Date.now() })
    const own = await add('own')
    const unknown = await refuse({ chats: ['never-was'], change: { pinned: true } })
    expect(unknown.status).toBe(404)
    for (const id of [foreign, deleted])
      expect(await refuse({ chats: [id], change: { pinned: true } })).toEqual(unknown)
    expect((await change([foreign, deleted, own], { pinned: true })).chats).toMatchObject([{ id: own }])
    const rows = await product.database.db
      .selectFrom('chats')
      .select('pinned')
      .where('id', 'in', [foreign, deleted])
      .execute()
    expect(rows).toEqual([{ pinned: 0 }, { pinned: 0 }])
  })

  it('is refused for a project that the user does not have (any more)', async () => {
    const eve = await product.signIn(`Eve ${users++}`)
    const project_id = await addProject(eve)
    const id = await add('own')
    const unknown = await refuse({ chats: [id], change: { archived: true, project_id: 'never-was' } })
    expect(unknown.status).toBe(404)
    expect(await refuse({ chats: [id], change: { archived: true, project_id } })).toEqual(unknown)
    const selection = { section: 'project', project: project_id }
    expect(await refuse({ chats: selection, change: { archived: true } })).toEqual(unknown)
  })

  const ids = (count: number) => Array.from({ length: count }, (_, index) => `chat-${index}`)
  it.each<[string, object, string]>([
    [
      'no chat',
      { chats: [], change: { pinned: true } },
      'chats: Too small: expected array to have >=1 items',
    ],
    [
      '10,001 chats',
      { chats: ids(10_001), change: { pinned: true } },
      'chats: Too big: expected array to have <=10000 items',
    ],
    [
      'one wrong id of many',
      { chats: [...ids(900), 'a b'], change: { pinned: true } },
      'chats.900: must be 1 to 64 letters, digits, "-" or "_"',
    ],
    [
      'an unknown section',
      { chats: { section: 'none' }, change: { pinned: true } },
      'chats: must be ids of chats, or a section',
    ],
    ['no change', { chats: ['a'], change: {} }, 'change: must change something'],
    [
      'one title for two chats',
      { chats: ['a', 'b'], change: { title: 'x' } },
      'change.title: can be changed of one chat at a time',
    ],
    [
      'one title for a section',
      { chats: { section: 'recent' }, change: { title: 'x' } },
      'change.title: can be changed of one chat at a time',
    ],
    [
      'what was seen of another change',
      { chats: ['a'], change: { pinned: true }, seen: '2026-01-01T00:00:00.000Z' },
      'seen: belongs to the change "unread: false"',
    ],
  ])('is refused with a reason: %s', async (_what, body, message) => {
    expect(await refuse(body)).toEqual({ status: 400, body: { error: { code: 'invalid_request', message } } })
  })

  it.runIf(engine === 'postgres' && isConcurrent(engine)).each(['a section', 'a project'])(
    'of many chats waits for a commit of replies in them without a deadlock: %s',
    async (which) => {
      const project_id = await addProject()
      const [later, first] = [await add('b', { project_id }), await add('a', { project_id, updated_at: 1 })]
      // More than are changed together, in the order of the list between the two.
      for (let index = 0; index < 250; index++)
        await addChat(product.database.db, { id: `${later}-${index}`, user_id: ada.user.id, updated_at: 3 })
      const request = () =>
        which === 'a project'
          ? ada.delete(`/api/project/${project_id}`)
          : ada.patch('/api/chats', {
              chats: { section: 'all' },
              change: { archived: true },
            })
      const response = await product.database.db.transaction().execute(async (trx) => {
        await touchChat(trx, first, 5, 0)
        const sent = request()
        void sent
        await expect.poll(() => countWaiting(trx)).toBe(1)
        await touchChat(trx, later, 5, 0)
        return { sent }
      })
      expect((await response.sent).statusCode).toBe(200)
    },
  )

  it.runIf(isConcurrent(engine))('of the same chats by two tabs at once is made by both', async () => {
    const ids: string[] = []
    for (let index = 0; index < 300; index++)
      ids.push(
        (await addChat(product.database.db, { id: `${ada.user.id}-${index}`, user_id: ada.user.id })).id,
      )
    const [named, selected, moved] = await Promise.all([
      change(ids.toReversed(), { archived: true }),
      change({ section: 'all' }, { archived: true }),
      change(ids, { unread: true }),
    ])
    expect([named.ids.length + selected.ids.length, moved.ids.length]).toEqual([300, 300])
  })
})
