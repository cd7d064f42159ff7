import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../server/testing/free-port.ts'
import { startProcess } from './parts/start-process.ts'

/*
 * Measures the start of the built server on SQLite with the embedded provider, and its memory at rest, before any request
 * and after the first one to the provider, which loads its library. A bare server of Fastify and SQLite starts in the same rounds.
 * `npm run bench start [rounds] [main.js of another build]` compares with another build.
 */

const [rounds = '9', other] = process.argv.slice(2)
const maxStartMs = 500
const maxMemoryMb = 90
const megabyte = 1024 * 1024

interface Program {
  readonly name: string
  readonly path: string
  readonly figures: Record<'wallMs' | 'cpuMs' | 'memoryMb' | 'providerMb', number[]>
}

const program = (name: string, path: string): Program => ({
  name,
  path: fileURLToPath(new URL(path, import.meta.url)),
  figures: { wallMs: [], cpuMs: [], memoryMb: [], providerMb: [] },
})
const product = program('product', '../server/dist/main.js')
const programs = [
  product,
  program('bare Fastify and SQLite', 'parts/bare-server.mjs'),
  ...(other === undefined ? [] : [program('other build', `../${other}`)]),
]

const dataDir = mkdtempSync(join(tmpdir(), 'yonder-start-'))

async function measure({ path, figures }: Program, isCounted: boolean): Promise<void> {
  const port = await freePort()
  const environment = { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn', NODE_ENV: 'production' }
  const startedAt = performance.now()
  const running = await startProcess(path, [], environment)
  const wallMs = performance.now() - startedAt
  const cpuMs = running.cpuMicroseconds() / 1000
  await running.waitUntilIdle()
  const memoryMb = running.memoryBytes() / megabyte
  const isServer = path.endsWith('main.js')
  if (isServer) {
    const response = await fetch(`http://localhost:${port}/oidc/.well-known/openid-configuration`)
    if (!response.ok) throw new Error(`The provider responded with status ${response.status}.`)
    await running.waitUntilIdle()
  }
  if (isCounted) {
    figures.wallMs.push(wallMs)
    figures.cpuMs.push(cpuMs)
    figures.memoryMb.push(memoryMb)
    if (isServer) figures.providerMb.push(running.memoryBytes() / megabyte)
  }
  await running.end()
}

// The first round creates the database and fills the caches of the system.
for (let round = 0; round <= Number(rounds); round++) {
  for (const each of round % 2 === 0 ? programs : programs.toReversed()) await measure(each, round > 0)
}
rmSync(dataDir, { recursive: true, force: true })

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
for (const { name, figures } of programs) {
  const provider =
    figures.providerMb.length === 0
      ? ''
      : `, ${median(figures.providerMb).toFixed(0)} MB with the provider loaded`
  console.log(
    `${name}: listens after ${median(figures.wallMs).toFixed(0)} ms (CPU ${median(figures.cpuMs).toFixed(0)} ms), ${median(figures.memoryMb).toFixed(0)} MB at rest${provider}`,
  )
}
// CPU time, because the wall-clock time depends on other load. A start does little that waits.
const isMet = median(product.figures.cpuMs) <= maxStartMs && median(product.figures.memoryMb) <= maxMemoryMb
console.log(
  `goal: ${maxStartMs} ms of CPU time and ${maxMemoryMb} MB before the first request to the provider ${isMet ? 'met' : 'NOT MET'} (Node ${process.versions.node})`,
)
process.exitCode = isMet ? 0 : 1
