import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../server/db/open-database.ts'
import { freePort } from '../server/testing/free-port.ts'
import { openReport } from './parts/figures.ts'
import { fillChats } from './parts/fill-chats.ts'
import { startProcess } from './parts/start-process.ts'

/*
 * Measures the start of the built server on SQLite with the built-in identity provider, and its memory at rest, with two
 * databases of different sizes. A bare server of Fastify and SQLite starts in the same rounds.
 */

const rounds = Number(process.argv[2] ?? 9)
const maxStartMs = 500
const maxMemoryMb = 90
const megabyte = 1024 * 1024
/**
 * About twenty seconds after a start, V8 returns the memory that it needed, if the process has allocated little since.
 */
const restMs = 30_000
/** Memory varies little between starts. */
const memoryRounds = 3

interface Program {
  readonly path: string
  /** Messages in the database; null for the bare server, which reads no data. */
  readonly size: number | null
  readonly dataDir: string
  readonly figures: Record<'wallMs' | 'cpuMs' | 'restMb', number[]>
}

const dataDir = mkdtempSync(join(tmpdir(), 'yonder-start-'))
const program = (path: string, size: number | null): Program => ({
  path: fileURLToPath(new URL(path, import.meta.url)),
  size,
  dataDir: join(dataDir, String(size)),
  figures: { wallMs: [], cpuMs: [], restMb: [] },
})
const bare = program('parts/bare-server.mjs', null)
const products = [10_000, 40_000].map((size) => program('../server/dist/main.js', size))
const programs = [bare, ...products]

for (const { size, dataDir } of products) {
  mkdirSync(dataDir)
  const database = await openDatabase({ databaseUrl: null, dataDir })
  await fillChats(database, size ?? 0)
  await database.close()
}

async function start({ path, dataDir }: Program) {
  const environment = { DATA_DIR: dataDir, LOG_LEVEL: 'warn', NODE_ENV: 'production' }
  return startProcess(path, [], { ...environment, PORT: String(await freePort()) })
}

async function measureTime(program: Program, isCounted: boolean): Promise<void> {
  const startedAt = performance.now()
  const running = await start(program)
  if (isCounted) {
    program.figures.wallMs.push(performance.now() - startedAt)
    program.figures.cpuMs.push(running.cpuMicroseconds() / 1000)
  }
  await running.end()
}

async function measureMemory(program: Program): Promise<void> {
  const running = await start(program)
  await wait(restMs)
  await running.waitUntilIdle()
  program.figures.restMb.push(running.memoryBytes() / megabyte)
  await running.end()
}

// The first round fills the caches of the system and is not counted.
for (let round = 0; round <= rounds; round++) {
  for (const each of round % 2 === 0 ? programs : programs.toReversed()) await measureTime(each, round > 0)
}
// Memory does not depend on other load, so the programs run at the same time.
for (let round = 0; round < memoryRounds; round++) await Promise.all(programs.map(measureMemory))
rmSync(dataDir, { recursive: true, force: true })

const report = openReport('messages')
for (const { size, figures } of products) {
  const add = (name: string, unit: string, key: keyof Program['figures'], max?: number): void =>
    report.add({
      name,
      size: size ?? 0,
      unit,
      values: figures[key],
      counterpart: { name: 'bare Fastify and SQLite', values: bare.figures[key], isPaired: true },
      goal: max === undefined ? {} : { max },
    })
  add('time until it listens', 'ms', 'wallMs')
  // The goal is for CPU time, because the wall-clock time depends on other load. A start does little that waits.
  add('CPU time until it listens', 'ms', 'cpuMs', maxStartMs)
  add('memory at rest', 'MB', 'restMb', maxMemoryMb)
}
report.finish()
