import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ChatList } from '@yonder/contract/chat'
import type { Database } from '../../db/database.ts'
import { openPostgres } from '../../db/dialects/postgres.ts'
import { filesFolderOf, openSqlite } from '../../db/dialects/sqlite.ts'
import { countAppliedMigrations } from '../../db/migrate.ts'
import { sqliteFileName } from '../../db/open-database.ts'
import type { Engine } from '../database/test-database.ts'
import { SignInSession } from '../identity/sign-in-session.ts'
import { createRequestClient, overHttp, type RequestClient } from '../send-request.ts'
import { fixtureUrl, fixtureUsers, writeFixture, type FixtureContent, type FixtureFiles } from './fixtures.ts'
import { startProduct } from './product-process.ts'
import { recordResponse, recordUser } from './record-responses.ts'
import { startStandIns, useProduct } from './use-product.ts'

/*
 * `npm run fixture`: starts a version, uses it, and stores its data as a fixture, for SQLite and for PostgreSQL. The
 * argument is the repository of the version, by default this one.
 */

const maxIndexMs = 30_000

interface Storage {
  readonly dataDir: string
  readonly databaseUrl: string | null
}

async function makeFixture(folder: string, engine: Engine, storage: Storage): Promise<void> {
  const { dataDir, databaseUrl } = storage
  const standIns = await startStandIns()
  const product = await startProduct(folder, {
    DATA_DIR: dataDir,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    DEFAULT_MODEL_BASE_URL: standIns.model.baseUrl,
  })
  try {
    const migrations = await countMigrations(storage)
    const ada = await signUp(0)
    const grace = await signUp(1)
    await useProduct(standIns, [ada, grace])
    // The index is written in the order of the messages, and Grace's message is the last one.
    await waitForSearch(grace, 'harbour')
    const content = await recordContent(folder, [ada, grace])
    await product.stop()
    const data = databaseUrl === null ? readSqlite(dataDir) : dumpPostgres(databaseUrl)
    const secretKey = readFileSync(join(dataDir, 'secret.key'))
    const files = databaseUrl === null ? { files: readFiles(dataDir) } : {}
    writeFixture({ migrations, engine, secretKey, data, ...files, content })
    console.log(`${engine}: ${migrations} migrations, ${data.length} bytes`)
  } finally {
    await product.stop()
    await standIns.close()
  }
}

async function signUp(index: 0 | 1): Promise<RequestClient> {
  const { access_token } = await new SignInSession(fixtureUrl).join(fixtureUsers[index])
  const client = createRequestClient(overHttp(fixtureUrl), { authorization: `Bearer ${access_token}` })
  // The first request stores the user.
  await client.get('/api/auth/userinfo')
  return client
}

async function recordContent(folder: string, clients: readonly RequestClient[]): Promise<FixtureContent> {
  const users = []
  for (const [index, client] of clients.entries()) {
    users.push({ email: fixtureUsers[index === 0 ? 0 : 1].email, responses: await recordUser(client) })
  }
  const shares = users[0]?.responses.find(({ path }) => path === '/api/shares')?.body
  const { shares: links } = shares as { shares: readonly { id: string }[] }
  const visitor = createRequestClient(overHttp(fixtureUrl))
  return {
    commit: execFileSync('git', ['-C', folder, 'rev-parse', 'HEAD']).toString().trim(),
    users,
    visitor: await Promise.all(links.map(({ id }) => recordResponse(visitor, `/api/share/${id}`))),
  }
}

async function waitForSearch(client: RequestClient, word: string): Promise<void> {
  const deadline = Date.now() + maxIndexMs
  while ((await client.get(`/api/chats?search=${word}`)).json<ChatList>().total === 0) {
    if (Date.now() > deadline) throw new Error('The search index was not written.')
    await wait(100)
  }
}

async function countMigrations({ dataDir, databaseUrl }: Storage): Promise<number> {
  const database: Database =
    databaseUrl === null
      ? openSqlite(join(dataDir, sqliteFileName))
      : openPostgres(databaseUrl, { maxConnections: 1 })
  try {
    return await countAppliedMigrations(database)
  } finally {
    await database.close()
  }
}

function readSqlite(dataDir: string): Buffer {
  const path = join(dataDir, sqliteFileName)
  if (existsSync(`${path}-wal`)) throw new Error('The server did not close its database.')
  return readFileSync(path)
}

function readFiles(dataDir: string): FixtureFiles {
  const folder = filesFolderOf(join(dataDir, sqliteFileName))
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name)).toString('base64')]))
}

/** Without the commands of `psql`, which other clients do not know. */
function dumpPostgres(databaseUrl: string): Buffer {
  const parameters = ['--no-owner', '--no-privileges', '--no-comments', '--rows-per-insert=100', databaseUrl]
  const dump = execFileSync('pg_dump', parameters, { maxBuffer: 100_000_000 }).toString()
  return Buffer.from(dump.replace(/^\\.*\n/gm, ''))
}

/** Creates a database for one version, and drops it afterwards. */
async function withPostgres(work: (databaseUrl: string) => Promise<void>): Promise<void> {
  const scripts = fileURLToPath(new URL('../../../scripts/find-postgres.mjs', import.meta.url))
  const { findPostgres, connectPostgres } = (await import(scripts)) as {
    findPostgres: () => Promise<string | undefined>
    connectPostgres: (url: string) => Promise<{ query(text: string): unknown; end(): Promise<void> }>
  }
  const server = await findPostgres()
  if (server === undefined) throw new Error('This machine has no PostgreSQL. Set TEST_DATABASE_URL.')
  const admin = await connectPostgres(server)
  const url = new URL(server)
  url.pathname = `/yonder_fixture_${process.pid}`
  try {
    await admin.query(`create database ${url.pathname.slice(1)}`)
    await work(url.href)
  } finally {
    await admin.query(`drop database if exists ${url.pathname.slice(1)} with (force)`)
    await admin.end()
  }
}

const folder = resolve(process.argv[2] ?? fileURLToPath(new URL('../../..', import.meta.url)))
const dataDir = mkdtempSync(join(tmpdir(), 'yonder-fixture-'))
try {
  // Both engines use one folder, and so the key that the first start creates: a fixture has only one key.
  await makeFixture(folder, 'sqlite', { dataDir, databaseUrl: null })
  await withPostgres((databaseUrl) => makeFixture(folder, 'postgres', { dataDir, databaseUrl }))
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
