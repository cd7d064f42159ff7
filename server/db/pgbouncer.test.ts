import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChatClient, openChatApp, type ChatApp } from '../testing/chat/open-chat-app.ts'
import { openLiveStream } from '../testing/chat/open-live-stream.ts'
import { hasPgBouncer, startPgBouncer, type PgBouncer } from '../testing/database/start-pgbouncer.ts'
import { postgresUrl, type TestDatabase } from '../testing/database/test-database.ts'
import { runYonder } from '../testing/run-yonder.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import { openNode } from './open-node.ts'

describe.runIf(postgresUrl !== '' && hasPgBouncer())('behind PgBouncer in transaction mode', () => {
  let admin: pg.Client
  let name: string
  let bouncer: PgBouncer
  let dataDir: string
  const databases: Database[] = []

  const open = async (): Promise<TestDatabase> => {
    const location = { dataDir, databaseUrl: bouncer.url }
    const database = await openDatabase(location)
    databases.push(database)
    return { ...database, location }
  }

  beforeAll(async () => {
    const direct = new URL(postgresUrl)
    admin = new pg.Client({ connectionString: postgresUrl })
    await admin.connect()
    name = `${direct.pathname.slice(1)}_${randomBytes(4).toString('hex')}`
    await admin.query(`create database ${name}`)
    direct.pathname = `/${name}`
    bouncer = await startPgBouncer(direct.href)
    dataDir = mkdtempSync(join(tmpdir(), 'yonder-pgbouncer-data-'))
  }, 60_000)
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()))
    await bouncer.stop()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
    rmSync(dataDir, { recursive: true })
  })

  it('servers that start together migrate one after the other, and a restore is refused while one runs', async () => {
    const [first, second] = await Promise.all([open(), open()])
    const isFree = (database: Database) =>
      database.db.transaction().execute((trx) => database.dialect.lockOutServers(trx))
    expect(await isFree(second)).toBe(true)
    const node = await openNode(first, 'a-server', () => undefined)
    const subscription = first.subscribe({
      onRuns: () => undefined,
      onChange: () => undefined,
      onGap: () => undefined,
    })
    for (const database of [first, second, first]) expect(await isFree(database)).toBe(false)
    await subscription.close()
    await node.close()
    for (const database of [first, second, second]) expect(await isFree(database)).toBe(true)
  })

  it('servers show the replies and changes of each other, and doctor says that they poll', async () => {
    const here: ChatApp = await openChatApp({ database: await open() })
    const there: ChatApp = await openChatApp({
      database: await open(),
      model: here.model,
      // Its users are signed in at both.
      deps: { identity: here.deps.identity },
    })
    try {
      const ada = await here.join()
      const tab = await openLiveStream(here.base, ada.headers)
      const remote = createChatClient(there.base, ada)
      here.model.reply(['One ', 'two', { finish: 'stop' }])
      const chatId = await ada.newChat()
      const sent = await remote.send(chatId, 'Count')
      await sent.ended
      await tab.until(() => tab.run(chatId).status === 'complete')
      expect(tab.runEvents(chatId).map(({ event }) => event)).toEqual(sent.events)
      await remote.post('/api/bot', { name: 'Another', model: 'scripted' })
      const changes = () => tab.events().filter((event) => event.type === 'changed' && event.what === 'bots')
      await tab.until(() => changes().length > 0)
      tab.leave()
    } finally {
      await there.close()
      await here.close()
    }
    const { stdout } = await runYonder(['doctor', '--json'], {
      settings: { DATABASE_URL: bouncer.url, DATA_DIR: dataDir, PORT: '0' },
    })
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'database',
      status: 'warning',
      message: expect.stringContaining('pooler in transaction mode') as unknown,
    })
  }, 60_000)
})
