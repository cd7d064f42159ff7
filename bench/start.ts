import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../server/db/open-database.ts'
import { freePort } from '../server/testing/free-port.ts'
import { fillChats } from './parts/fill-chats.ts'
import { openReport } from './parts/open-report.ts'
import { startProcess } from './parts/start-process.ts'

/*
 * Measures the start of the built server on SQLite with the embedded provider, and its memory at rest, before any request
 * and after the first one to the provider, which loads its library. The server starts with two databases of different
 * sizes. A bare server of Fastify and SQLite starts in the same rounds.
 * `npm run bench start [rounds] [main.js of another build]` compares with another build.
 */

const [rounds = '9', other] = process.argv.slice(2)
const maxStartMs = 500
const maxMemoryMb = 90
const megabyte = 1024 * 1024

/** Messages in the database of the built server. */
const sizes = [10_000, 40_000]

interface Program {
  readonly name: string
  readonly path: string
  /** Null when the program reads no data. */
  readonly size: number | null
  readonly dataDir: string
  readonly figures: Record<'wallMs' | 'cpuMs' | 'memoryMb' | 'providerMb', number[]>
}

const dataDir = mkdtempSync(join(tmpdir(), 'yonder-start-'))
const program = (name: string, path: string, size: number | null): Program => ({
  name,
  path: fileURLToPath(new URL(path, import.meta.url)),
  size,
  dataDir: join(dataDir, String(size)),
  figures: { wallMs: [], cpuMs: [], memoryMb: [], providerMb: [] },
})
const bare = program('bare Fastify and SQLite', 'parts/bare-server.mjs', null)
const programs = [
  bare,
  ...sizes.flatMap((size) => [
    program('product', '../server/dist/main.js', size),
    ...(other === undefined ? [] : [program('other build', `../${other}`, size)]),
  ]),
]

for (const size of sizes) {
  mkdirSync(join(dataDir, String(size)))
  const database = await openDatabase({ databaseUrl: null, dataDir: join(dataDir, String(size)) })
  await fillChats(database, size)
  await database.close()
}

async function measure({ path, size, dataDir, figures }: Program, isCounted: boolean): Promise<void> {
  const port = await freePort()
  const environment = { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn', NODE_ENV: 'production' }
  const startedAt = performance.now()
  const running = await startProcess(path, [], environment)
  const wallMs = performance.now() - startedAt
  const cpuMs = running.cpuMicroseconds() / 1000
  await running.waitUntilIdle()
  const memoryMb = running.memoryBytes() / megabyte
  if (size !== null) {
    const response = await fetch(`http://localhost:${port}/oidc/.well-known/openid-configuration`)
    if (!response.ok) throw new Error(`The provider responded with status ${response.status}.`)
    await running.waitUntilIdle()
  }
  if (isCounted) {
    figures.wallMs.push(wallMs)
    figures.cpuMs.push(cpuMs)
    figures.memoryMb.push(memoryMb)
    if (size !== null) figures.providerMb.push(running.memoryBytes() / megabyte)
  }
  await running.end()
}

// The first round creates the database and fills the caches of the system.
for (let round = 0; round <= Number(rounds); round++) {
  for (const each of round % 2 === 0 ? programs : programs.toReversed()) await measure(each, round > 0)
}
rmSync(dataDir, { recursive: true, force: true })

const report = openReport('start', 'messages')
for (const { name, size, figures } of programs) {
  if (size === null) continue
  const add = (what: string, unit: string, key: keyof Program['figures'], max?: number): void =>
    report.add({
      name: `${name}: ${what}`,
      size,
      unit,
      values: figures[key],
      ...(bare.figures[key].length > 0 && {
        counterpart: { name: bare.name, values: bare.figures[key], isPaired: true },
      }),
      ...(max !== undefined && name === 'product' && { goal: { max } }),
    })
  add('time until it listens', 'ms', 'wallMs')
  // The goal is for CPU time, because the wall-clock time depends on other load. A start does little that waits.
  add('CPU time until it listens', 'ms', 'cpuMs', maxStartMs)
  add('memory at rest', 'MB', 'memoryMb', maxMemoryMb)
  add('memory with the provider loaded', 'MB', 'providerMb')
}
report.finish()
