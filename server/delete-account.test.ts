import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import type { AccountContents } from '@yonder/contract/account'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { deleteOldChanges } from './db/node-store.ts'
import { removeUnused } from './files/remove-unused.ts'
import { createUserData, userDataEnvironment, type UserData } from './testing/chat/create-user-data.ts'
import type { ChatClient } from './testing/chat/open-chat-app.ts'
import { openLiveStream } from './testing/chat/open-live-stream.ts'
import { openToolApp, type ToolApp } from './testing/chat/open-tool-app.ts'
import { findWords } from './testing/database/find-words.ts'
import { hashTables } from './testing/database/hash-tables.ts'
import { engines } from './testing/database/test-database.ts'
import { makePng, uploadFile } from './testing/files/upload-file.ts'

const minuteMs = 60_000

describe.each(engines)('deleting the own account, on %s', (engine) => {
  let product: ToolApp
  afterEach(() => product.close())

  const open = async (environment: Readonly<Record<string, string>> = {}) => {
    product = await openToolApp({ engine, environment: { ...userDataEnvironment, ...environment } })
  }
  /** Asks for the deletion with a sign-in of this age. */
  const deleteAccount = (client: ChatClient, typed: string, signInAgeMs = 0) =>
    client.post('/api/account/delete', { confirmation: typed, id_token: String(Date.now() - signInAgeMs) })
  /** Waits until a node has done the work that the request has left. */
  const expectGone = async ({ user }: ChatClient) => {
    const { db } = product.database
    const find = () =>
      db.selectFrom('users').select('id').where('subject', '=', user.subject).executeTakeFirst()
    await expect.poll(find).toBeUndefined()
    await removeUnused({ database: product.database, now: Date.now })
  }
  const expectNoWords = async (words: readonly string[]) => {
    const { database } = product
    // A node does this after a minute. The ids in it say which chats have changed.
    if (engine === 'postgres') await deleteOldChanges(database.db, database.dialect, -1_000)
    expect(await findWords(database, words)).toEqual([])
  }
  /** The texts from which a row, a file or a page of the database would be known as this user's. */
  const wordsOf = ({ client: { user }, secret }: UserData) => [
    secret,
    user.id,
    user.subject,
    user.email ?? '',
    'Eve',
  ]

  it('leaves no word of the user in any table, in the file of SQLite, or in the folder of files', async () => {
    await open()
    const { database } = product
    await createUserData(product, 'Ada')
    const before = await hashTables(database)
    const eve = await createUserData(product, 'Eve')
    await eve.client.put('/api/drafts', { drafts: { home_page_draft: `Draft with ${eve.secret}` } })
    await uploadFile(product.base, eve.client, `${eve.secret}.txt`, Buffer.from(`Unsent: ${eve.secret}`))
    const { confirmation, ...counts } = (await eve.client.get('/api/account')).json<AccountContents>()
    expect(confirmation).toBe('eve@example.com')
    expect(counts).toEqual({ chats: 6, files: 2, shares: 1, bots: 2, connectors: 3 })
    const places = await findWords(database, wordsOf(eve))
    expect(places).toEqual(
      expect.arrayContaining([`messages: ${eve.secret}`, `drafts: ${eve.secret}`, 'users: Eve']),
    )

    // A reply is being written, a tool is being called, and a call waits for approval.
    const live = await openLiveStream(product.base, eve.client.headers)
    const reply = await eve.client.follow(eve.runningChat)
    expect((await deleteAccount(eve.client, ' EVE@example.com ')).statusCode).toBe(204)
    await Promise.all([live.ended, reply.ended])
    await expectGone(eve.client)

    await expectNoWords(wordsOf(eve))
    expect(await hashTables(database)).toEqual(before)
    const { dataDir } = database.location
    if (engine === 'sqlite') {
      await sql`vacuum`.execute(database.db)
      await sql`pragma wal_checkpoint(truncate)`.execute(database.db)
    }
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const bytes = await readFile(join(entry.parentPath, entry.name), 'latin1')
      expect(
        wordsOf(eve).filter((word) => bytes.includes(word)),
        entry.name,
      ).toEqual([])
    }
  })

  it('is refused without SELF_SERVICE, and nothing is written', async () => {
    await open({ SELF_SERVICE: 'off' })
    const ada = await product.join('Ada')
    const before = await hashTables(product.database)
    for (const response of [await ada.get('/api/account'), await deleteAccount(ada, 'ada@example.com')])
      expect([response.statusCode, response.json()]).toEqual([
        403,
        { error: { code: 'forbidden', message: expect.stringContaining('SELF_SERVICE=on') } },
      ])
    expect(await hashTables(product.database)).toEqual(before)
  })

  it.each([
    ["another's e-mail", 'eve@example.com', 0, 'invalid_request'],
    ['the name of a user with an e-mail', 'Ada', 0, 'invalid_request'],
    ['nothing', ' ', 0, 'invalid_request'],
    ['an old sign-in', 'ada@example.com', 15 * minuteMs + 1_000, 'sign_in_too_old'],
    ['a sign-in that is not known', 'ada@example.com', Number.NaN, 'sign_in_too_old'],
    ['a sign-in of the future', 'ada@example.com', -10 * minuteMs, 'sign_in_too_old'],
  ])('is refused with %s, and nothing is written', async (_what, typed, age, code) => {
    await open()
    const ada = await product.join('Ada')
    await product.join('Eve')
    const before = await hashTables(product.database)
    const response = await deleteAccount(ada, typed, age)
    expect(response.json()).toMatchObject({ error: { code } })
    expect(await hashTables(product.database)).toEqual(before)
    expect((await ada.get('/api/account')).statusCode).toBe(200)
  })

  it('asked for twice at once happens once', async () => {
    await open()
    const ada = await product.join('Ada')
    const responses = await Promise.all([1, 2, 3].map(() => deleteAccount(ada, 'ada@example.com')))
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([204, 204, 204])
    await expectGone(ada)
    const again = await product.join('Ada')
    expect((await again.get('/api/account')).json()).toMatchObject({ chats: 0, files: 0, shares: 0 })
  })

  it('during an upload refuses the file, and its bytes are deleted', async () => {
    await open()
    const ada = await product.join('Ada')
    const picture = makePng(400, 400, 'secret-of-Ada')
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const upload = request(
      `${product.base}/api/files?name=slow.png`,
      {
        method: 'POST',
        headers: {
          ...ada.headers,
          'content-type': 'application/octet-stream',
          'content-length': picture.length,
        },
      },
      (response) => resolve(response.resume().statusCode ?? 0),
    )
    upload.on('error', reject)
    upload.write(picture.subarray(0, 50_000))
    const countUnused = async () =>
      (await product.database.db.selectFrom('unused_bytes').select('file_id').execute()).length
    await expect.poll(countUnused).toBe(1)
    expect((await deleteAccount(ada, 'ada@example.com')).statusCode).toBe(204)
    await expectGone(ada)
    upload.end(picture.subarray(50_000))
    expect(await promise).toBe(401)
    await expect.poll(countUnused).toBe(0)
    await expectNoWords(['secret-of-Ada', ada.user.id])
    const folder = join(product.database.location.dataDir, 'files')
    const kept = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    expect(kept.filter((entry) => entry.isFile())).toEqual([])
  })
})
