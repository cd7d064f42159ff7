import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { indexMessages } from '../server/chats/search/index-messages.ts'
import { openSearch } from '../server/chats/search/open-search.ts'
import { openDatabase } from '../server/db/open-database.ts'
import { watchEventLoop } from '../server/testing/watch-event-loop.ts'
import { openReport } from './parts/figures.ts'
import { fillChats } from './parts/fill-chats.ts'
import { openCpuClock } from './parts/open-cpu-clock.ts'
import { createSearchKinds, type SearchKind } from './parts/search-kinds.ts'

/*
 * Measures the processor time of the first page of every kind of search with its previews and total, how much slower
 * another user's reads are meanwhile, how long searches block the event loop, and the time of a step of indexing.
 * `npm run bench search [messages] [address of an empty PostgreSQL database] [searches of each kind]`
 */

const [count = '1000000', address = '', searches = '40'] = process.argv.slice(2)
/** Messages. The smaller size shows how the costs grow. */
const sizes = [Number(count) / 4, Number(count)]
const maxSearchMs = 60
const maxHeldUpMs = 20
const quietReads = 200

const dataDir = mkdtempSync(join(tmpdir(), 'yonder-search-'))
const database = await openDatabase({ databaseUrl: address === '' ? null : address, dataDir })
const { db, dialect } = database
const report = openReport('messages')
const search = openSearch(database, (error) => {
  throw error
})
const user = { id: 'owner', issuer: '', subject: '', name: null, email: null, picture: null }
const other = { ...user, id: 'other0' }

async function measureKind({ name, words }: SearchKind, size: number): Promise<void> {
  const readCpuMs = await openCpuClock(database)
  const values: number[] = []
  for (let index = 0; index < Number(searches); index++) {
    const term = words()
    const before = readCpuMs()
    await search.searchChats(user, { search: term, page: 1, limit: 10 })
    values.push(readCpuMs() - before)
  }
  report.add({ name, size, unit: 'ms of CPU time', values, goal: { at: 0.95, max: maxSearchMs } })
}

/** The milliseconds of reads of another user, one after the other. Stops when `isOver` returns true. */
async function readOthers(isOver: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!isOver()) {
    const start = performance.now()
    await search.searchChats(other, { search: '', page: 1, limit: 10 })
    times.push(performance.now() - start)
    await wait(5)
  }
  return times
}

/** Measures the reads of another user while a user searches, one search after the other. */
async function measureOthers(kinds: readonly SearchKind[], size: number): Promise<void> {
  let reads = 0
  const quiet = await readOthers(() => ++reads > quietReads)
  let isOver = false
  const watch = watchEventLoop()
  const meanwhile = readOthers(() => isOver)
  for (let round = 0; round < 10; round++)
    for (const { words } of kinds) await search.searchChats(user, { search: words(), page: 1, limit: 10 })
  const blocked = watch.stop()
  isOver = true
  report.add({
    name: 'reads of another user during searches',
    size,
    unit: 'ms',
    values: await meanwhile,
    counterpart: { name: 'without searches', values: quiet },
    goal: { at: 0.99, max: maxHeldUpMs },
  })
  report.add({
    name: 'longest blocking by searches',
    size,
    unit: 'ms',
    values: [blocked],
    goal: { max: maxHeldUpMs },
  })
}

async function measureIndexing(size: number): Promise<void> {
  await db
    .insertInto('search_queue')
    .columns(['position'])
    .expression((eb) => eb.selectFrom('messages').select('position').orderBy('position', 'desc').limit(2_000))
    .execute()
  const values: number[] = []
  for (let more = true; more;) {
    const start = performance.now()
    more = await indexMessages(db)
    values.push(performance.now() - start)
  }
  report.add({ name: 'one slice of indexing, with its commit', size, unit: 'ms', values })
}

// The thread of the search does not keep this process running, and all other work waits for it.
const running = setInterval(() => undefined, 1_000)
let filled = 0
for (const size of sizes) {
  await fillChats(database, size, filled)
  filled = size
  const kinds = await createSearchKinds(db, size)
  await search.searchChats(user, { search: 'warm up', page: 1, limit: 10 })
  for (const kind of kinds) await measureKind(kind, size)
  await measureOthers(kinds, size)
  if (dialect.kind === 'sqlite') await measureIndexing(size)
}
clearInterval(running)
report.finish()
await search.close()
await database.close()
rmSync(dataDir, { recursive: true, force: true })
