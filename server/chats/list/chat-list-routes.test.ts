import type { ChatMarks, ListedChats } from '@yonder/contract/chat-list'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatRow } from '../../db/tables/tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { addChat, addPath } from '../../testing/factories/chats.ts'
import { statusAndBody } from '../../testing/send-request.ts'
import { openTestApp, type TestApp, type TestClient } from '../../testing/test-app.ts'

describe.each(engines)('the list of chats, on %s', (engine) => {
  let product: TestApp
  beforeAll(async () => {
    product = await openTestApp({ engine })
  })
  afterAll(() => product.close())

  /** Stores chats whose ids begin with the user's; a higher time is newer. */
  const addChats = async (client: TestClient, chats: Readonly<Record<string, Partial<ChatRow>>>) => {
    for (const [name, fields] of Object.entries(chats)) {
      const id = `${client.user.id}-${name}`
      await addChat(product.database.db, { id, user_id: client.user.id, ...fields })
      if (fields.title === undefined)
        await addPath(product.database.db, { id, updated_at: fields.updated_at ?? 1 }, [{ content: name }])
    }
  }
  const addProject = async (client: TestClient, id: string) => {
    await product.database.db
      .insertInto('projects')
      .values({ id, user_id: client.user.id, name: id, instructions: '', bot_id: null, created_at: 1 })
      .execute()
  }
  const read = async (client: TestClient, query: string) =>
    (await client.get(`/api/chat-list?${query}`)).json<ListedChats>()
  const namesOf = (client: TestClient, { chats }: Pick<ListedChats, 'chats'>) =>
    chats.map(({ id }) => id.replace(`${client.user.id}-`, ''))

  it('has each chat in its sections, newest first', async () => {
    const ada = await product.signIn('Ada')
    const eve = await product.signIn('Eve')
    await addProject(ada, 'thesis')
    await addChats(ada, {
      old: { updated_at: 1 },
      new: { updated_at: 9 },
      same: { updated_at: 9 },
      pinned: { updated_at: 3, pinned: 1, title: 'Act' },
      both: { updated_at: 4, pinned: 1, project_id: 'thesis' },
      inside: { updated_at: 5, project_id: 'thesis', unread: 1 },
      archived: { updated_at: 6, archived: 1, unread: 1, pinned: 1, project_id: 'thesis' },
      deleted: { updated_at: 8, deleted_at: Date.now(), pinned: 1, project_id: 'thesis' },
      earlier: { updated_at: 9, deleted_at: Date.now() - 10 },
      purged: { updated_at: 7, deleted_at: 0 },
    })
    await addPath(product.database.db, { id: `${ada.user.id}-pinned`, updated_at: 3 }, [
      { content: 'Act' },
      { role: 'assistant', call_state: 'waiting' },
    ])
    await addChats(eve, { foreign: { updated_at: 5, unread: 1, pinned: 1, project_id: 'thesis' } })
    const sections = [
      'recent',
      'pinned',
      'project&project=thesis',
      'archived',
      'deleted',
      'all',
      'unread',
      'waiting',
    ]
    const found: Record<string, string[]> = {}
    for (const section of sections) found[section] = namesOf(ada, await read(ada, `section=${section}`))
    expect(found).toEqual({
      recent: ['same', 'new', 'old'],
      pinned: ['both', 'pinned'],
      'project&project=thesis': ['inside', 'both'],
      archived: ['archived'],
      deleted: ['deleted', 'earlier'],
      all: ['same', 'new', 'inside', 'both', 'pinned', 'old'],
      unread: ['inside'],
      waiting: ['pinned'],
    })
    const { chats } = await read(ada, 'section=pinned')
    expect(chats[0]).toEqual({
      id: `${ada.user.id}-both`,
      title: 'both',
      update_time: new Date(4).toISOString(),
      pinned: true,
      project_id: 'thesis',
    })
    const found404 = await eve.get('/api/chat-list?section=project&project=thesis')
    expect(found404.statusCode).toBe(404)
    expect(found404.body).toBe((await eve.get('/api/chat-list?section=project&project=no')).body)
  })

  it('is read in pages by a cursor that needs no chat, with and without a filter', async () => {
    const ada = await product.signIn('Bea')
    const names = Array.from(
      { length: 7 },
      (_, index) => `chat ${index % 2 === 0 ? 'Straße' : 'other'} ${index}`,
    )
    await addChats(
      ada,
      Object.fromEntries(names.map((title, index) => [`${index}`, { title, updated_at: 1 + (index >> 1) }])),
    )
    await product.database.db
      .updateTable('chats')
      .set({ title_key: 'chat strasse' })
      .where('title', 'like', '%Stra%')
      .execute()
    const readAll = async (query: string) => {
      const pages: string[][] = []
      for (let next: string | null = ''; next !== null;) {
        const page = await read(ada, `${query}&limit=2${next === '' ? '' : `&cursor=${next}`}`)
        pages.push(namesOf(ada, page))
        next = page.next
      }
      return pages
    }
    expect(await readAll('section=recent')).toEqual([['6', '5'], ['4', '3'], ['2', '1'], ['0']])
    expect(await readAll('section=all&filter=STRASSE chat')).toEqual([
      ['6', '4'],
      ['2', '0'],
    ])
    expect(await readAll('section=all&filter=strasse nothing')).toEqual([[]])
    const { next } = await read(ada, 'section=recent&limit=2')
    await product.database.db.deleteFrom('chats').where('id', '=', `${ada.user.id}-5`).execute()
    const second = `section=recent&limit=2&cursor=${next}`
    expect(namesOf(ada, await read(ada, second))).toEqual(['4', '3'])
    // Of another user it only says from when on chats are listed.
    expect(namesOf(ada, await read(await product.signIn('Eve'), second))).not.toContain('4')
  })

  it('has each of the chats of one time once, in whatever order the database has their ids', async () => {
    const ada = await product.signIn('Cy')
    const names = ['a', 'B', '_', '-', 'A', 'b', 'Z', 'a-', 'a_', 'A1', '9', 'z']
    await addChats(ada, Object.fromEntries(names.map((name) => [name, { title: 'Same', title_key: 'same' }])))
    for (const query of ['section=recent', 'section=all&filter=same']) {
      const found: string[] = []
      for (let next: string | null = ''; next !== null;) {
        const page = await read(ada, `${query}&limit=2${next === '' ? '' : `&cursor=${next}`}`)
        found.push(...namesOf(ada, page))
        next = page.next
      }
      expect(found.toSorted()).toEqual(names.toSorted())
    }
  })

  it.each([
    'section=recent&cursor=',
    'section=recent&cursor=x',
    'section=recent&cursor=-1-x',
    'section=recent&cursor=1-',
    'section=recent&cursor=1-a%27%20or%201',
    `section=recent&cursor=${'9'.repeat(16)}-x`,
    `section=recent&cursor=1-${'x'.repeat(65)}`,
    'section=project',
    'section=recent&project=thesis',
    'section=everything',
    '',
    'section=recent&limit=201',
    `section=all&filter=${'x'.repeat(201)}`,
  ])('refuses %s', async (query) => {
    const ada = await product.signIn('Ada')
    expect((await ada.get(`/api/chat-list?${query}`)).statusCode).toBe(400)
  })

  it('takes a filter literally, whatever is in it', async () => {
    const ada = await product.signIn('Cleo')
    const titles = { a: '100%', b: '100 percent', c: 'under_score', d: 'back\\slash' }
    for (const [id, title] of Object.entries(titles))
      await addChats(ada, { [id]: { title, title_key: title } })
    const find = async (filter: string) =>
      namesOf(ada, await read(ada, `section=all&filter=${encodeURIComponent(filter)}`))
    expect(await find('0%')).toEqual(['a'])
    expect(await find('r_s')).toEqual(['c'])
    expect(await find('k\\s')).toEqual(['d'])
    expect(await find('\0')).toEqual([])
    expect(await find(' ')).toEqual(['d', 'c', 'b', 'a'])
  })

  it('marks what is unread, waits or is being written', async () => {
    const ada = await product.signIn('Dora')
    const { db } = product.database
    await addChats(ada, {
      unread: { updated_at: 4, unread: 1 },
      read: { updated_at: 5 },
      archived: { updated_at: 6, unread: 1, archived: 1 },
      deleted: { updated_at: 7, unread: 1, deleted_at: Date.now() },
      running: { updated_at: 2 },
      waiting: { updated_at: 3, title: 'Act' },
      decided: { updated_at: 3, title: 'Acted' },
      failed: { updated_at: 1, title: 'Failed', unread: 1 },
    })
    const waiting = { id: `${ada.user.id}-waiting`, updated_at: 3 }
    await addPath(db, waiting, [{ content: 'Act' }, { role: 'assistant', call_state: 'waiting' }])
    await addPath(db, { id: `${ada.user.id}-failed`, updated_at: 1 }, [
      { content: 'Fail' },
      { role: 'assistant', status: 'failed' },
    ])
    const call = { role: 'assistant', call_state: 'waiting' } as const
    await addPath(db, { ...waiting, id: `${ada.user.id}-decided` }, [call, { content: 'cancel' }])
    await db
      .insertInto('runs')
      .values({
        chat_id: `${ada.user.id}-running`,
        user_id: ada.user.id,
        message_id: 'm',
        node_id: 'here',
        status: 'running',
        lease_until: 1e15,
        last_seq: 1,
        stop_requested: 0,
        started_at: 1,
      })
      .execute()
    const marks = async (client: TestClient) =>
      (await client.get('/api/chat-list/marks')).json<ChatMarks>().marks
    expect(namesOf(ada, { chats: await marks(ada) })).toEqual(['unread', 'waiting', 'running', 'failed'])
    expect(await marks(ada)).toMatchObject([
      { unread: true },
      { waiting: true },
      { running: true },
      { unread: true, failed: true },
    ])
    expect(await marks(await product.signIn('Eve'))).toEqual([])
  })

  it('shows in a search what the list shows, beside its messages', async () => {
    const ada = await product.signIn('Fay')
    await addChats(ada, { own: { title: 'Mine', title_source: 'user', pinned: 1 } })
    expect(statusAndBody(await ada.get('/api/chats')).body).toMatchObject({
      chats: [{ title: 'Mine', title_source: 'user', pinned: true, messages: [] }],
    })
  })
})
