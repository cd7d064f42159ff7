import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../server/db/database.ts'
import { openDatabase, type DatabaseOptions } from '../server/db/open-database.ts'
import { hashTables } from '../server/testing/database/hash-tables.ts'
import { openTestDatabase, postgresUrl } from '../server/testing/database/test-database.ts'
import { paced } from './parts/bench-messages.ts'
import { fillChats } from './parts/fill-chats.ts'
import { openReport } from './parts/open-report.ts'
import { runCommandLine, type CommandRun } from './parts/run-command-line.ts'
import { runLoad } from './parts/run-load.ts'
import { startProduct, type Product } from './parts/start-measured-product.ts'
import { partPath, startProcess } from './parts/start-process.ts'

/*
 * Backs a database up while the server streams replies into it, and restores each backup into another database. The
 * restore compares the hash of all rows with the backup. Then the load stops, and another hash checks that the last
 * restore has the same rows as the source. `npm run bench backup [rounds] [messages] [sqlite|postgres]`; PostgreSQL
 * needs TEST_DATABASE_URL.
 */

const [rounds = '20', messages = '20000', only] = process.argv.slice(2)
if (only !== 'sqlite' && postgresUrl === '')
  throw new Error('Set TEST_DATABASE_URL to a PostgreSQL database, or measure SQLite alone.')
const size = Number(messages)
const streams = 20
const model = paced(30, 300)
const maxMemoryMb = 250
const megabyte = 1024 * 1024

const secretKey = randomBytes(32).toString('hex')
const report = openReport('backup', 'messages')
const upstream = await startProcess(partPath('scripted-upstream'))
const folder = mkdtempSync(join(tmpdir(), 'yonder-backup-'))

const toEnvironment = ({ dataDir, databaseUrl }: DatabaseOptions): Readonly<Record<string, string>> => ({
  DATA_DIR: dataDir,
  DATABASE_URL: databaseUrl ?? '',
  SECRET_KEY: secretKey,
})

/** Returns the hashes of all tables except that of the migrations, which has the times at which they ran. */
async function hashRows(database: Database): Promise<string> {
  const { migrations: _, ...hashes } = await hashTables(database)
  // The databases list their tables in different orders.
  return JSON.stringify(Object.entries(hashes).toSorted())
}

async function hashStored(options: DatabaseOptions): Promise<string> {
  const database = await openDatabase(options)
  const hashes = await hashRows(database)
  await database.close()
  return hashes
}

/**
 * Returns the number of runs that are still running. Throws when the message of such a run is not being streamed,
 * because the copy then mixes data of different moments.
 */
async function countRunning(options: DatabaseOptions): Promise<number> {
  const database = await openDatabase(options)
  const { rows } = await sql<{ running: number; torn: number }>`
    select count(*) as running, count(case when m.status = 'streaming' then null else 1 end) as torn
    from runs r left join messages m on m.chat_id = r.chat_id and m.id = r.message_id
    where r.status = 'running'`.execute(database.db)
  await database.close()
  if (Number(rows[0]?.torn) > 0) throw new Error('The backup has data of different moments.')
  return Number(rows[0]?.running)
}

/** Streams replies, one set after the other, until it is stopped. `stop` returns the number of tokens. */
function startLoad(product: Product): { stop(): Promise<number> } {
  const stopping = new AbortController()
  const load = async (): Promise<number> => {
    let tokens = 0
    while (!stopping.signal.aborted) {
      const chats = await product.newChats(streams)
      const bodies = chats.map((chatId) => ({ chatId, botName: model, content: 'go' }))
      const targets = [{ url: `${product.base}/api/chat/completions`, headers: product.headers, bodies }]
      const results = await runLoad({ targets, turn: null, spreadMs: 1_000, settleMs: null })
      for (const result of results) tokens += result.tokens
    }
    return tokens
  }
  const loaded = load()
  return {
    stop: () => {
      stopping.abort()
      return loaded
    },
  }
}

/** Backs `from` up and restores it into `to`. Throws when the hashes differ. */
async function copy(file: string, from: DatabaseOptions, to: DatabaseOptions) {
  const backup = await runCommandLine(['backup', file, '--yes'], toEnvironment(from))
  const restore = await runCommandLine(['restore', file, '--yes'], toEnvironment(to))
  const [written, restored] = [backup, restore].map(({ data }) => (data as { sha256: string }).sha256)
  if (written !== restored) throw new Error(`The restore has other rows: ${written}, ${restored}.`)
  return { backup, restore, running: await countRunning(to) }
}

async function measure(engine: 'sqlite' | 'postgres'): Promise<void> {
  const source = await openTestDatabase(engine, { durable: true })
  const target = await openTestDatabase(engine, { durable: true })
  const to = { ...target.location, dataDir: join(folder, engine) }
  await fillChats(source, size)
  const product = await startProduct(upstream.line, [model], [], toEnvironment(source.location))
  const load = startLoad(product)
  const file = join(folder, `${engine}.backup`)
  const copies: Awaited<ReturnType<typeof copy>>[] = []
  for (let round = 1; round <= Number(rounds); round++) {
    copies.push(await copy(file, source.location, to))
    console.log(`  ${engine}: round ${round}, ${copies.at(-1)?.running} running replies`)
  }
  const tokens = await load.stop()
  const running = copies.reduce((sum, each) => sum + each.running, 0)
  if (running === 0) throw new Error('No reply was running during a backup.')
  console.log(
    `  ${engine}: ${tokens} tokens were streamed meanwhile; the backups contain ${running} running replies`,
  )
  console.log(`  ${engine}: the last backup has ${(statSync(file).size / megabyte).toFixed(1)} MB`)
  for (const what of ['backup', 'restore'] as const)
    addFigures(
      `${engine}: ${what}`,
      copies.map((each) => each[what]),
    )

  await product.waitUntilIdle()
  await product.end()
  await copy(file, source.location, to)
  const hashes = await hashRows(source)
  if ((await hashStored(to)) !== hashes) throw new Error('The hashes differ.')
  if (engine === 'sqlite') await moveToPostgres(source.location, hashes)
  await target.close()
  await source.close()
}

function addFigures(name: string, runs: readonly CommandRun[]): void {
  report.add({ name, size, unit: 'ms', values: runs.map(({ wallMs }) => wallMs) })
  const values = runs.map(({ maxMemoryBytes }) => maxMemoryBytes / megabyte)
  report.add({ name: `${name}, memory`, size, unit: 'MB', values, goal: { max: maxMemoryMb } })
}

async function moveToPostgres(from: DatabaseOptions, hashes: string): Promise<void> {
  const target = await openTestDatabase('postgres')
  const url = target.location.databaseUrl
  if (url !== null) {
    const moved = await runCommandLine(['move-to-postgres', url], toEnvironment(from))
    if ((await hashStored(target.location)) !== hashes) throw new Error('The hashes differ after the move.')
    addFigures('move to PostgreSQL', [moved])
  }
  await target.close()
}

for (const engine of ['sqlite', 'postgres'] as const)
  if (only === undefined || only === engine) await measure(engine)
await upstream.end()
rmSync(folder, { recursive: true, force: true })
report.finish()
