import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { indexMessages } from './chats/search/index-messages.ts'
import { collectBytes } from './db/files/file-bytes.ts'
import { createSealer } from './db/secrets/seal-secret.ts'
import { removeUnused } from './files/remove-unused.ts'
import { deleteUser, disableUser, enableUser } from './identity/users/manage-users.ts'
import { createUserData, userDataEnvironment } from './testing/chat/create-user-data.ts'
import { openLiveStream } from './testing/chat/open-live-stream.ts'
import { openToolApp, type ToolApp } from './testing/chat/open-tool-app.ts'
import { hashTables } from './testing/database/hash-tables.ts'
import { engines } from './testing/database/test-database.ts'
import { sendRequest } from './testing/send-request.ts'

describe.each(engines)('the end of a user, on %s', (engine) => {
  let product: ToolApp
  afterEach(() => product.close())

  const open = async () => {
    product = await openToolApp({ engine, environment: userDataEnvironment })
  }
  /** The command of the operator, which runs in a process of its own. */
  const manage = () => ({
    database: product.database,
    sealer: createSealer('a secret of tests that is long enough'),
    issuer: 'http://localhost/oidc',
    embedded: true,
    now: Date.now,
  })
  /** Stores the account that the stand-in for the sign-in does not have. */
  const addAccount = async ({
    subject,
    email,
  }: {
    readonly subject: string
    readonly email: string | null
  }) =>
    product.database.db
      .insertInto('accounts')
      .values({ id: subject, email, name: 'Eve', picture: null, password_hash: 'scrypt', created_at: 1 })
      .execute()
  const readShare = async (id: string) =>
    (
      await sendRequest({
        method: 'GET',
        url: `${product.base}/api/share/${id}`,
        headers: { host: 'localhost:3000' },
      })
    ).statusCode

  it('deleting a user removes every row of the user and no other', async () => {
    await open()
    const { database } = product
    await createUserData(product, 'Ada')
    const before = await hashTables(database)
    const eve = await createUserData(product, 'Eve')
    await addAccount(eve.client.user)
    const stream = await openLiveStream(product.base, eve.client.headers)
    expect(await readShare(eve.share)).toBe(200)

    await deleteUser(manage(), 'eve@example.com')
    expect(await readShare(eve.share)).toBe(404)
    await stream.ended
    const findUser = () =>
      database.db.selectFrom('users').select('id').where('id', '=', eve.client.user.id).executeTakeFirst()
    await expect.poll(findUser).toBeUndefined()
    // A node does this every minute.
    await removeUnused({ database, now: Date.now })
    expect(await collectBytes(database.bytes.read(eve.file))).toHaveLength(0)
    expect(await hashTables(database)).toEqual(before)
  })

  it('disabling a user ends streams, replies and links, and keeps the data', async () => {
    await open()
    const { database } = product
    const ada = await createUserData(product, 'Ada')
    const eve = await createUserData(product, 'Eve')
    await addAccount(eve.client.user)
    const reply = await eve.client.follow(eve.runningChat)
    const streams = [await openLiveStream(product.base, eve.client.headers), reply]
    const other = await openLiveStream(product.base, ada.client.headers)

    await disableUser(manage(), eve.client.user.subject)
    await Promise.all(streams.map((stream) => stream.ended))
    const listRunning = async (userId: string) =>
      database.db
        .selectFrom('runs')
        .select('chat_id')
        .where('user_id', '=', userId)
        .where('status', '=', 'running')
        .execute()
    await expect.poll(() => listRunning(eve.client.user.id)).toEqual([])
    expect(await listRunning(ada.client.user.id)).not.toEqual([])
    expect(await readShare(eve.share)).toBe(404)
    expect(await readShare(ada.share)).toBe(200)
    const pending = () =>
      database.db
        .selectFrom('users')
        .select('pending')
        .where('id', '=', eve.client.user.id)
        .executeTakeFirstOrThrow()
    await expect.poll(pending).toEqual({ pending: null })
    const { messages } = await eve.client.readChat(eve.runningChat)
    expect(messages.at(-1)).toMatchObject({ content: eve.secret, status: 'stopped' })

    await enableUser(manage(), eve.client.user.subject)
    expect(await readShare(eve.share)).toBe(200)
    other.leave()
  })

  it.runIf(engine === 'sqlite')('deleting a user removes their messages from the search index', async () => {
    await open()
    const { db } = product.database
    const index = async () => {
      while (await indexMessages(db));
    }
    await sql`create virtual table temp.grams using fts5vocab(main, message_search, row)`.execute(db)
    const readGrams = async () => (await sql`select term, doc from temp.grams order by term`.execute(db)).rows
    await createUserData(product, 'Ada')
    await index()
    const before = await readGrams()
    const eve = await createUserData(product, 'Eve')
    await addAccount(eve.client.user)
    // A text of several chunks.
    product.model.reply(['The end.', { finish: 'stop' }])
    await (
      await eve.client.send(await eve.client.newChat(), 'How does the tide move? '.repeat(700))
    ).ended
    await index()
    expect((await readGrams()).length).toBeGreaterThan(before.length)
    await deleteUser(manage(), eve.client.user.subject)
    const countUsers = async () =>
      (await db.selectFrom('users').select('id').where('id', '=', eve.client.user.id).execute()).length
    await expect.poll(countUsers).toBe(0)
    await index()
    expect(await readGrams()).toEqual(before)
    expect(await db.selectFrom('search_queue').selectAll().execute()).toEqual([])
  })
})
