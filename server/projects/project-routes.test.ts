import type { ChangedChats } from '@yonder/contract/chat-list'
import type { Project, ProjectDetails, ProjectInput } from '@yonder/contract/project'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertChat } from '../chats/chat-store.ts'
import { countWaiting } from '../testing/database/count-waiting.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { addChat, addPath, chatRow } from '../testing/factories/chats.ts'
import { openTestApp, type TestApp, type TestClient } from '../testing/test-app.ts'
import { lockProject } from './project-store.ts'

describe.each(engines)('projects on %s', (engine) => {
  let product: TestApp
  let ada: TestClient

  beforeAll(async () => {
    product = await openTestApp({ engine, environment: { SELF_SERVICE: 'on' } })
    ada = await product.signIn('Ada')
  })
  beforeEach(async () => {
    await product.database.db.deleteFrom('projects').execute()
    await product.database.db.deleteFrom('chats').execute()
  })
  afterAll(() => product.close())

  const add = async (input: ProjectInput) => (await ada.post('/api/project', input)).json<ProjectDetails>()
  const read = async (id: string) => (await ada.get(`/api/project/${id}`)).json<ProjectDetails>()
  const list = async () => (await ada.get('/api/projects')).json<Project[]>()
  const projectOf = async (chatId: string) =>
    (
      await product.database.db
        .selectFrom('chats')
        .select('project_id')
        .where('id', '=', chatId)
        .executeTakeFirstOrThrow()
    ).project_id

  it('are created, changed field by field, and listed in the order of their creation', async () => {
    await ada.post('/api/bot', { name: 'Owl', model: 'demo' })
    const thesis = await add({ name: 'Thesis' })
    expect(thesis).toEqual({ id: expect.any(String), name: 'Thesis', bot: null, instructions: '', chats: 0 })
    const kitchen = await add({ name: 'Kitchen', instructions: ' Be brief. ', bot: 'Owl' })
    expect(kitchen).toMatchObject({ bot: 'Owl', instructions: 'Be brief.' })
    expect((await ada.put(`/api/project/${thesis.id}`, { instructions: 'Cite.' })).json()).toEqual({
      ...thesis,
      instructions: 'Cite.',
    })
    await ada.put(`/api/project/${thesis.id}`, { name: 'Dissertation', bot: 'Owl' })
    expect(await read(thesis.id)).toEqual({
      ...thesis,
      name: 'Dissertation',
      bot: 'Owl',
      instructions: 'Cite.',
    })
    expect(await list()).toEqual([
      { id: thesis.id, name: 'Dissertation', bot: 'Owl' },
      { id: kitchen.id, name: 'Kitchen', bot: 'Owl' },
    ])
    // A renamed bot is still the same, and a deleted one is none.
    await ada.put('/api/bot/Owl', { name: 'Eagle', model: 'demo' })
    expect(await read(kitchen.id)).toMatchObject({ bot: 'Eagle' })
    await ada.put(`/api/project/${kitchen.id}`, { bot: null })
    expect(await read(kitchen.id)).toMatchObject({ bot: null })
    await ada.delete('/api/bot/Eagle')
    expect(await read(thesis.id)).toMatchObject({ bot: null })
  })

  it('have names of one line without invisible characters', async () => {
    const { name, id } = await add({ name: ' Kitchen\u202e\n\t renovation\u200b ' })
    expect(name).toBe('Kitchen renovation')
    await ada.put(`/api/project/${id}`, { name: `\u200e${'x'.repeat(100)}\u2067` })
    expect(await read(id)).toMatchObject({ name: 'x'.repeat(100) })
  })

  it.each([
    ['an empty name', '', 'name: is missing'],
    ['a blank name', ' \n', 'name: is missing'],
    ['a name of bidi marks', '\u202e\u200b\u2066', 'name: has no visible character'],
    ['101 characters', 'x'.repeat(101), 'name: must have at most 100 characters'],
    ['10,000 characters', 'x'.repeat(10_000), 'name: must have at most 100 characters'],
    ['10,000 bidi marks', '\u202e'.repeat(10_000), 'name: must have at most 100 characters'],
  ])('refuse %s, and nothing is written', async (_, name, message) => {
    const { id } = await add({ name: 'Thesis' })
    const before = await hashTables(product.database)
    for (const response of [
      await ada.post('/api/project', { name }),
      await ada.put(`/api/project/${id}`, { name, instructions: 'Cite.' }),
    ]) {
      expect(response.statusCode).toBe(400)
      expect(response.json()).toEqual({ error: { code: 'invalid_request', message } })
    }
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('refuse long instructions and an unknown bot, and nothing is written', async () => {
    const { id } = await add({ name: 'Thesis' })
    const before = await hashTables(product.database)
    const long = { name: 'New', instructions: 'x'.repeat(50_001) }
    expect((await ada.post('/api/project', long)).statusCode).toBe(400)
    expect((await ada.put(`/api/project/${id}`, { name: 'New', bot: 'Nobody' })).statusCode).toBe(404)
    expect((await ada.post('/api/project', { name: 'New', bot: 'Nobody' })).statusCode).toBe(404)
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('are at most 1,000 of a user', async () => {
    const { db } = product.database
    await add({ name: 'First' })
    const first = await db.selectFrom('projects').selectAll().executeTakeFirstOrThrow()
    const others = Array.from({ length: 999 }, (_, index) => ({ ...first, id: `project ${index}` }))
    for (let at = 0; at < others.length; at += 100)
      await db
        .insertInto('projects')
        .values(others.slice(at, at + 100))
        .execute()
    const refused = await ada.post('/api/project', { name: 'Last' })
    expect(refused.statusCode).toBe(409)
    expect(refused.body).toContain('You have 1,000 projects. Delete one before you add another.')
    expect(await list()).toHaveLength(1_000)
  })

  it('have the chats that begin in them, also when the request is repeated', async () => {
    const { id } = await add({ name: 'Thesis' })
    const begin = async (query: string) => ada.get(`/api/chat/id?${query}`)
    const first = (await begin(`project=${id}&request=r1`)).json<{ id: string }>()
    expect((await begin(`project=${id}&request=r1`)).json()).toEqual(first)
    expect(await projectOf(first.id)).toBe(id)
    expect(await read(id)).toMatchObject({ chats: 1 })
    const before = await hashTables(product.database)
    expect((await begin('project=nothing')).statusCode).toBe(404)
    expect((await (await product.signIn('Eve')).get(`/api/chat/id?project=${id}`)).statusCode).toBe(404)
    expect(await hashTables(product.database)).toMatchObject({ chats: before['chats'] })
  })

  it('leave their chats in no project when they are deleted, however many', async () => {
    const { db } = product.database
    const { id } = await add({ name: 'Thesis' })
    const other = await add({ name: 'Kitchen' })
    const rows = Array.from({ length: 1_201 }, (_, index) =>
      chatRow({ id: `c${index}`, user_id: ada.user.id, project_id: id, updated_at: index }),
    )
    for (let at = 0; at < rows.length; at += 400)
      await db
        .insertInto('chats')
        .values(rows.slice(at, at + 400))
        .execute()
    await addChat(db, { id: 'deleted', user_id: ada.user.id, project_id: id, deleted_at: Date.now() })
    await addChat(db, { id: 'other', user_id: ada.user.id, project_id: other.id })
    expect(await read(id)).toMatchObject({ chats: 1_201 })
    expect((await ada.delete(`/api/project/${id}`)).json()).toEqual({ deleted_chats: [] })
    expect((await ada.get(`/api/project/${id}`)).statusCode).toBe(404)
    expect((await ada.delete(`/api/project/${id}`)).statusCode).toBe(404)
    const left = await db
      .selectFrom('chats')
      .select(['id', 'updated_at'])
      .where('project_id', 'is', null)
      .execute()
    expect(left).toHaveLength(1_202)
    expect(left).toContainEqual({ id: 'c1200', updated_at: 1_200 })
    expect(await projectOf('other')).toBe(other.id)
  })

  it('are deleted with their chats, which can be restored in no project', async () => {
    const { db } = product.database
    const { id } = await add({ name: 'Thesis' })
    const ids = Array.from({ length: 501 }, (_, index) => `c${index}`)
    for (const chat of ids) await addChat(db, { id: chat, user_id: ada.user.id, project_id: id })
    await addChat(db, { id: 'archived', user_id: ada.user.id, project_id: id, archived: 1 })
    await addChat(db, { id: 'gone', user_id: ada.user.id, project_id: id, deleted_at: 7 })
    await addChat(db, { id: 'other', user_id: ada.user.id })
    const deletion = await ada.delete(`/api/project/${id}?chats=delete`)
    const { deleted_chats: deleted } = deletion.json<{ deleted_chats: string[] }>()
    expect(deleted.toSorted()).toEqual([...ids, 'archived'].toSorted())
    const deletedAt = await db.selectFrom('chats').select(['id', 'deleted_at']).execute()
    expect(deletedAt).toContainEqual({ id: 'gone', deleted_at: 7 })
    expect(deletedAt).toContainEqual({ id: 'other', deleted_at: null })
    expect((await ada.get('/api/chat-list?section=all')).json()).toMatchObject({ chats: [{ id: 'other' }] })
    const restored = await ada.patch('/api/chats', { chats: deleted, change: { deleted: false } })
    expect(restored.json<ChangedChats>().ids).toHaveLength(502)
    expect(await projectOf('archived')).toBeNull()
  })

  it('are not deleted with their chats where users may not delete chats, and nothing is written', async () => {
    const closed = await openTestApp({ engine })
    const eve = await closed.signIn('Eve')
    const { id } = (await eve.post('/api/project', { name: 'Thesis' })).json<ProjectDetails>()
    await addChat(closed.database.db, { id: 'c', user_id: eve.user.id, project_id: id })
    const before = await hashTables(closed.database)
    expect((await eve.delete(`/api/project/${id}?chats=delete`)).statusCode).toBe(403)
    expect((await eve.delete(`/api/project/${id}?chats=all`)).statusCode).toBe(400)
    expect(await hashTables(closed.database)).toEqual(before)
    expect((await eve.delete(`/api/project/${id}?chats=keep`)).statusCode).toBe(200)
    await closed.close()
  })

  it.runIf(isConcurrent(engine) && engine === 'postgres')(
    'wait with a deletion for a chat that is being started',
    async () => {
      const { db } = product.database
      const { id } = await add({ name: 'Thesis' })
      let deletion: Promise<{ statusCode: number }> | undefined
      await db.transaction().execute(async (trx) => {
        await lockProject(trx, ada.user, id)
        deletion = ada.delete(`/api/project/${id}`)
        await expect.poll(() => countWaiting(trx)).toBe(1)
        await insertChat(trx, chatRow({ id: 'started', user_id: ada.user.id, project_id: id }))
      })
      expect((await deletion)?.statusCode).toBe(200)
      expect(await projectOf('started')).toBeNull()
      await addPath(db, { id: 'started', updated_at: 1 }, [{ content: 'Hello' }])
      expect((await ada.get('/api/chats/started')).statusCode).toBe(200)
    },
  )
})
