import type { Transfers } from '@yonder/contract/transfer'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { noteBytes } from '../files/file-store.ts'
import { AppError } from '../lib/app-error.ts'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import { openTestApp, type TestApp, type TestClient } from '../testing/test-app.ts'
import { openTransferRunner, type Work } from './run-transfers.ts'
import { cancelTransfer, filesOf, insertTransfer, requireTransfer } from './transfer-store.ts'

const created_at = Date.now()
const fileOf = (id: string) => JSON.stringify([{ id, name: 'a.zip', size: 3 }])

describe.each(engines)('the routes of transfers on %s', (engine) => {
  let product: TestApp
  let ada: TestClient
  let eve: TestClient
  beforeAll(async () => {
    product = await openTestApp({ engine })
    ada = await product.signIn('Ada')
    eve = await product.signIn('Eve')
  })
  afterAll(() => product.close())

  const list = async (client: TestClient) => (await client.get('/api/transfers')).json<Transfers>()
  const sinceOf = async (id: string) =>
    (
      await product.database.db
        .selectFrom('unused_bytes')
        .select('since')
        .where('file_id', '=', id)
        .executeTakeFirst()
    )?.since

  it('show the last export and the last import of the user, for a day', async () => {
    const { db } = product.database
    expect(await list(ada)).toEqual({ export: null, import: null })
    await insertTransfer(db, ada.user, {
      id: 'old',
      kind: 'export',
      state: 'done',
      files: '[]',
      created_at: 1,
    })
    expect(await list(ada)).toEqual({ export: null, import: null })
    const files = fileOf('bytes')
    await insertTransfer(db, ada.user, { id: 'new', kind: 'export', state: 'done', files, created_at })
    expect(await list(ada)).toEqual({
      export: {
        id: 'new',
        state: 'done',
        files: [{ name: 'a.zip', size: 3, uploaded: true }],
        done: 0,
        total: null,
        created_time: new Date(created_at).toISOString(),
        expires_time: new Date(created_at + 86_400_000).toISOString(),
      },
      import: null,
    })
    expect(await list(eve)).toEqual({ export: null, import: null })
  })

  it('cancel a transfer, whose files are deleted', async () => {
    const { db } = product.database
    await noteBytes(db, 'uploaded', created_at)
    const files = fileOf('uploaded')
    await insertTransfer(db, ada.user, { id: 'mine', kind: 'import', state: 'ready', files, created_at })
    for (const [client, path] of [
      [eve, '/api/imports/mine/cancel'],
      [ada, '/api/exports/mine/cancel'],
      [ada, '/api/imports/never/cancel'],
    ] as const)
      expect((await client.post(path)).statusCode, path).toBe(404)
    expect((await list(ada)).import?.state).toBe('ready')
    expect(await sinceOf('uploaded')).toBe(created_at)

    expect((await ada.post('/api/imports/mine/cancel')).statusCode).toBe(204)
    expect((await list(ada)).import?.state).toBe('cancelled')
    expect(await sinceOf('uploaded')).toBe(0)
    // One that has ended stays as it is.
    await db.updateTable('transfers').set({ state: 'done' }).where('id', '=', 'mine').execute()
    expect((await ada.post('/api/imports/mine/cancel')).statusCode).toBe(204)
    expect((await list(ada)).import?.state).toBe('done')
  })
})

describe.each(engines)('the work of transfers on %s', (engine) => {
  const ada = { id: 'ada' }
  const running = { id: 'one', kind: 'export', state: 'running', files: '[]', created_at } as const
  let database: TestDatabase
  const errors: unknown[] = []
  const runners: ReturnType<typeof openTransferRunner>[] = []
  beforeEach(async () => {
    errors.length = 0
    database = await openTestDatabase(engine)
    await addUser(database.db, ada)
  })
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.close()))
    await database.close()
  })

  /** Opens a node that does this work. */
  function openNode(work: Work) {
    const runner = openTransferRunner({
      database,
      works: { export: { running: work }, import: { running: work, reading: work } },
      now: () => created_at,
      onError: (error) => void errors.push(error),
    })
    runners.push(runner)
    return runner
  }
  const readRow = () => requireTransfer(database.db, ada, running)
  const waitFor = (state: string) => vi.waitFor(async () => expect((await readRow()).state).toBe(state))
  const untilAborted: Work = (_transfer, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

  it('is begun at once for a user at a time, and stored with its result', async () => {
    const insert = (id: string) => insertTransfer(database.db, ada, { ...running, id })
    const results = await Promise.allSettled([insert('one'), insert('one')])
    const refused = results.filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject([{ reason: { code: 'conflict' } }])
    await expect(insert('two')).rejects.toMatchObject({ code: 'conflict' })
    const node = openNode(async (_transfer, { setProgress }) => {
      setProgress(2, 2)
      return { state: 'done', files: fileOf('result') }
    })
    node.look()
    await waitFor('done')
    expect(await readRow()).toMatchObject({ done: 2, total: 2, lease_until: 0, ended_at: created_at })
    // The next one takes its place, and its bytes can be deleted.
    await noteBytes(database.db, 'result', created_at)
    await insert('two')
    expect(await database.db.selectFrom('unused_bytes').selectAll().execute()).toEqual([
      { file_id: 'result', since: 0 },
    ])
  })

  it.each([
    ['its own sentence', new AppError('conflict', 'The file is no ZIP.'), 'The file is no ZIP.', 0],
    ['a sentence of the disk', Object.assign(new Error('x'), { code: 'ENOSPC' }), /no disk space left/, 0],
    ['a general sentence', new TypeError('a secret'), /^It failed for a reason that the operator/, 1],
  ])('is shown as failed with %s', async (_name, error, sentence, logged) => {
    await insertTransfer(database.db, ada, running)
    openNode(() => Promise.reject(error)).look()
    await waitFor('failed')
    expect((await readRow()).error).toMatch(sentence)
    expect(errors).toHaveLength(logged)
  })

  it('shows how far it is, and is aborted within seconds after it was cancelled', async () => {
    await insertTransfer(database.db, ada, running)
    let isAborted = false
    openNode((transfer, context) => {
      context.setProgress(1, 3)
      context.signal.addEventListener('abort', () => (isAborted = true))
      return untilAborted(transfer, context)
    }).look()
    await vi.waitFor(async () => expect(await readRow()).toMatchObject({ done: 1, total: 3 }))
    await cancelTransfer(database.db, running, created_at)
    await vi.waitFor(() => expect(isAborted).toBe(true))
    expect((await readRow()).state).toBe('cancelled')
    expect(errors).toEqual([])
  })

  it('is taken over when its lease has ended, and then not stored twice', async () => {
    await insertTransfer(database.db, ada, running)
    const node = openNode(async (transfer, context) => {
      await untilAborted(transfer, context).catch(() => undefined)
      return { state: 'done', files: fileOf('late') }
    })
    const finish = Promise.withResolvers<void>()
    const other = openNode(async () => {
      await finish.promise
      return { state: 'done', files: fileOf('in time') }
    })
    node.look()
    await vi.waitFor(async () => expect((await readRow()).lease_until).toBeGreaterThan(0))
    // As long as the lease is valid, it is nobody else's.
    other.look()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect((await readRow()).state).toBe('running')
    await database.db.updateTable('transfers').set({ lease_until: 1 }).execute()
    other.look()
    await vi.waitFor(async () => expect((await readRow()).lease_until).toBeGreaterThan(1))
    await node.close()
    expect((await readRow()).state).toBe('running')
    finish.resolve()
    await waitFor('done')
    expect(filesOf(await readRow())).toMatchObject([{ id: 'in time' }])
  })

  it('is left to the next start when the node ends', async () => {
    await insertTransfer(database.db, ada, running)
    const node = openNode(untilAborted)
    node.look()
    await vi.waitFor(async () => expect((await readRow()).lease_until).toBeGreaterThan(0))
    await node.close()
    expect(await readRow()).toMatchObject({ state: 'running', lease_until: 0, error: null })
    openNode(() => Promise.resolve({ state: 'done' })).look()
    await waitFor('done')
  })
})
