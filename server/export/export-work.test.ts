import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '../db/database.ts'
import { collectBytes, type FileBytes } from '../db/files/file-bytes.ts'
import { removeUnused } from '../files/remove-unused.ts'
import { openTestDatabase, engines, type TestDatabase } from '../testing/database/test-database.ts'
import { addChat, addPath } from '../testing/factories/chats.ts'
import { addFile } from '../testing/factories/files.ts'
import { addUser } from '../testing/factories/users.ts'
import { readZip } from '../testing/files/read-zip.ts'
import { openTransferRunner } from '../transfers/run-transfers.ts'
import { cancelTransfer, filesOf, insertTransfer, requireTransfer } from '../transfers/transfer-store.ts'
import { openExportWork } from './export-work.ts'

describe.each(engines)('the work of an export on %s', (engine) => {
  const ada = { id: 'ada' }
  const transfer = { id: 'export', kind: 'export' as const }
  let database: TestDatabase
  const runners: ReturnType<typeof openTransferRunner>[] = []
  const errors: unknown[] = []
  beforeEach(async () => {
    errors.length = 0
    database = await openTestDatabase(engine)
    await addUser(database.db, ada)
    const chat = await addChat(database.db, { id: 'chat', user_id: ada.id })
    const [message] = await addPath(database.db, chat, [{ content: 'Hello' }])
    const place = { userId: ada.id, chatId: 'chat', messageId: message?.id ?? '' }
    await addFile(database, place, { id: 'picture' }, Buffer.alloc(3_000_000, 1))
    await insertTransfer(database.db, ada, {
      ...transfer,
      state: 'running',
      files: '[]',
      created_at: Date.now(),
    })
  })
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.close()))
    await database.close()
  })

  /** Opens a node. `write` replaces how it writes bytes. */
  function openNode(write: FileBytes['write'] = (id, source) => database.bytes.write(id, source)) {
    const { bytes } = database
    const node: Database = {
      ...database,
      bytes: { write, read: bytes.read.bind(bytes), delete: bytes.delete.bind(bytes) },
    }
    const never = () => Promise.reject(new Error('not tested here'))
    const runner = openTransferRunner({
      database: node,
      works: {
        export: {
          running: openExportWork({
            database: node,
            publicUrl: 'http://localhost',
            version: '0',
            now: Date.now,
          }),
        },
        import: { reading: never, running: never },
      },
      now: Date.now,
      onError: (error) => void errors.push(error),
    })
    runners.push(runner)
    return runner
  }
  const readRow = () => requireTransfer(database.db, ada, transfer)
  const waitFor = (state: string) => vi.waitFor(async () => expect((await readRow()).state).toBe(state))
  const listNotes = () => database.db.selectFrom('unused_bytes').selectAll().execute()

  it('writes a ZIP that is deleted by itself after a day', async () => {
    openNode().look()
    await waitFor('done')
    const row = await readRow()
    const [file] = filesOf(row)
    expect(file?.name).toMatch(/^yonder-\d{4}-\d\d-\d\d\.zip$/)
    expect(row).toMatchObject({ done: 1, total: 1, error: null })
    const id = file?.id ?? ''
    const bytes = await collectBytes(database.bytes.read(id))
    expect(bytes).toHaveLength(file?.size ?? -1)
    const zip = await readZip(bytes)
    expect(zip.chats).toMatchObject([{ id: 'chat', messages: [{ content: 'Hello' }] }])
    expect(zip.bytesOf('files/picture.png')).toHaveLength(3_000_000)

    await removeUnused({ database, now: Date.now })
    expect(await collectBytes(database.bytes.read(id))).toHaveLength(bytes.length)
    await removeUnused({ database, now: () => Date.now() + 24 * 3_600_000 + 1_000 })
    expect(await collectBytes(database.bytes.read(id))).toHaveLength(0)
  })

  it('stops within a file when it is cancelled, and leaves no bytes', async () => {
    const written: string[] = []
    let isWhole = false
    openNode((id, source) => {
      written.push(id)
      const onFirst = () => cancelTransfer(database.db, transfer, Date.now())
      return database.bytes.write(id, slowly(source, { onFirst, onEnd: () => (isWhole = true) }))
    }).look()
    await waitFor('cancelled')
    await vi.waitFor(async () => expect(await listNotes()).toEqual([]))
    expect(isWhole).toBe(false)
    expect(written).toHaveLength(1)
    expect(await collectBytes(database.bytes.read(written[0] ?? ''))).toHaveLength(0)
    expect(await readRow()).toMatchObject({ state: 'cancelled', files: '[]', error: null })
    expect(errors).toEqual([])
  })

  it('leaves no bytes when it is cancelled after the last of them', async () => {
    openNode(async (id, source) => {
      await database.bytes.write(id, source)
      await cancelTransfer(database.db, transfer, Date.now())
    }).look()
    await waitFor('cancelled')
    await vi.waitFor(async () => expect(await listNotes()).toEqual([]))
    expect((await readRow()).files).toBe('[]')
    expect(errors).toEqual([])
  })

  it('says that the disk is full, and leaves no bytes', async () => {
    openNode(async (_id, source) => {
      for await (const _ of source) throw Object.assign(new Error('write failed'), { code: 'ENOSPC' })
    }).look()
    await waitFor('failed')
    expect((await readRow()).error).toMatch(/^The server has no disk space left/)
    expect(await listNotes()).toEqual([])
    expect(errors).toEqual([])
  })

  it('is done by another node when its own one dies', async () => {
    let isDead = false
    openNode(async (_id, source) => {
      for await (const _ of source) break
      isDead = true
      await new Promise((_, reject) => setTimeout(reject, 3_000, new Error('too late')))
    }).look()
    await vi.waitFor(() => expect(isDead).toBe(true))
    await database.db.updateTable('transfers').set({ lease_until: 1 }).execute()
    openNode().look()
    await waitFor('done')
    const done = await readRow()
    // What the first one does is not stored.
    await Promise.all(runners.splice(0).map((runner) => runner.close()))
    expect(await readRow()).toEqual(done)
    const [file] = filesOf(done)
    expect((await readZip(await collectBytes(database.bytes.read(file?.id ?? '')))).chats).toHaveLength(1)
  })
})

/** Yields the pieces of a source with a pause after each. Calls `onFirst` after the first one, and `onEnd` after all. */
async function* slowly(
  source: AsyncIterable<Uint8Array>,
  { onFirst, onEnd }: { readonly onFirst: () => Promise<void>; readonly onEnd: () => void },
): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const piece of source) {
    yield piece
    if (count++ === 0) await onFirst()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  onEnd()
}
