import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../server/db/open-database.ts'
import { freePort } from '../server/testing/free-port.ts'
import { fillChats } from './parts/fill-chats.ts'
import { openReport } from './parts/open-report.ts'
import { startProcess } from './parts/start-process.ts'

/*
 * Measures the start of the built server on SQLite with the built-in identity provider, and its memory: just after the
 * start, at rest, and after the first request to the provider, which loads its library. The server starts with two
 * databases of different sizes. A bare server of Fastify and SQLite starts in the same rounds.
 * `npm run bench start [rounds] [path of another main.js, from the root]` compares with another build.
 */

const [rounds = '9', other] = process.argv.slice(2)
const maxStartMs = 500
const maxMemoryMb = 90
const megabyte = 1024 * 1024
/**
 * About twenty seconds after a start, V8 returns the memory that it needed, if the process has allocated little since.
 */
const restMs = 30_000
/** Memory varies little between starts. */
const memoryRounds = 3

/** Messages in the database of the built server. */
const sizes = [10_000, 40_000]

interface Program {
  readonly name: string
  readonly path: string
  /** Null when the program reads no data. */
  readonly size: number | null
  readonly dataDir: string
  readonly figures: Record<'wallMs' | 'cpuMs' | 'startMb' | 'restMb' | 'providerMb', number[]>
}

const dataDir = mkdtempSync(join(tmpdir(), 'yonder-start-'))
const program = (name: string, path: string, size: number | null): Program => ({
  name,
  path: fileURLToPath(new URL(path, import.meta.url)),
  size,
  dataDir: join(dataDir, String(size)),
  figures: { wallMs: [], cpuMs: [], startMb: [], restMb: [], providerMb: [] },
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

async function start({ path, dataDir }: Program) {
  const port = await freePort()
  const environment = { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn', NODE_ENV: 'production' }
  return { port, running: await startProcess(path, [], environment) }
}

async function measureTime(program: Program, isCounted: boolean): Promise<void> {
  const startedAt = performance.now()
  const { running } = await start(program)
  if (isCounted) {
    program.figures.wallMs.push(performance.now() - startedAt)
    program.figures.cpuMs.push(running.cpuMicroseconds() / 1000)
  }
  await running.end()
}

async function measureMemory(program: Program): Promise<void> {
  const { size, figures } = program
  const { port, running } = await start(program)
  const readMb = async (): Promise<number> => {
    await running.waitUntilIdle()
    return running.memoryBytes() / megabyte
  }
  figures.startMb.push(await readMb())
  await wait(restMs)
  figures.restMb.push(await readMb())
  if (size !== null) {
    const response = await fetch(`http://localhost:${port}/oidc/.well-known/openid-configuration`)
    if (!response.ok) throw new Error(`The provider responded with status ${response.status}.`)
    await wait(restMs)
    figures.providerMb.push(await readMb())
  }
  await running.end()
}

// The first round fills the caches of the system and is not counted.
for (let round = 0; round <= Number(rounds); round++) {
  for (const each of round % 2 === 0 ? programs : programs.toReversed()) await measureTime(each, round > 0)
}
// Memory does not depend on other load, so the programs run at the same time, except those with the same data.
const others = programs.filter(({ name }) => name === 'other build')
for (let round = 0; round < memoryRounds; round++) {
  await Promise.all(programs.filter((each) => !others.includes(each)).map(measureMemory))
  await Promise.all(others.map(measureMemory))
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
  add('memory just after the start', 'MB', 'startMb')
  add('memory at rest', 'MB', 'restMb', maxMemoryMb)
  add('memory at rest with the provider loaded', 'MB', 'providerMb')
}
report.finish()
