import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { rootFolder, runCommand } from '../bin/run-command.mjs'
import { freePort } from '../server/testing/free-port.ts'
import { openReport } from './parts/figures.ts'

/*
 * Measures `npx ./yonder-<version>.tgz` until the server is ready, in an empty folder with an empty home and so with a
 * cold cache of npm, beside `npm ci` of the clone under the same conditions. It uses the network.
 */

const rounds = Number(process.argv[2] ?? 3)
const maxStartMs = 20_000

const folder = mkdtempSync(join(tmpdir(), 'yonder-package-'))
const npm = process.env['npm_execpath'] ?? ''
const npx = join(dirname(npm), 'npx-cli.js')
if (!existsSync(npx)) throw new Error('Start it with `npm run bench package`.')

/** Starts a program of npm in `work`, with only the environment that a bare machine has too. */
function startNpm(parameters: readonly string[], work: string) {
  return spawn(process.execPath, parameters, {
    cwd: work,
    env: {
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: mkdtempSync(join(folder, 'home-')),
      NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
      HTTPS_PROXY: process.env['HTTPS_PROXY'],
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
}

async function measureStart(archive: string): Promise<number> {
  const work = mkdtempSync(join(folder, 'start-'))
  const port = await freePort()
  const startedAt = performance.now()
  const child = startNpm([npx, '--yes', archive, 'start', '--port', String(port)], work)
  const ended = once(child, 'exit')
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error('The server ended before it was ready.')
    await wait(25)
  }
  const startMs = performance.now() - startedAt
  if (child.pid !== undefined) process.kill(-child.pid)
  await ended
  return startMs
}

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://localhost:${port}/readyz`).catch(() => undefined)
  return response?.ok === true
}

/** Returns the milliseconds that `npm ci` of the clone takes. It neither builds nor starts. */
async function measureInstallation(): Promise<number> {
  const work = mkdtempSync(join(folder, 'ci-'))
  const packages = ['.', 'contract', 'server', 'web'].map((name) => join(name, 'package.json'))
  for (const path of [...packages, 'package-lock.json']) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    copyFileSync(join(rootFolder, path), join(work, path))
  }
  const startedAt = performance.now()
  const child = startNpm([npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], work)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`npm ci ended with code ${code}.`)
  return performance.now() - startedAt
}

const parameters = [npm, 'pack', '--silent', '--pack-destination', folder]
const { code, output } = await runCommand(process.execPath, parameters, { quiet: true })
if (code !== 0) throw new Error(output)
const archive = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
const starts: number[] = []
const installations: number[] = []
try {
  for (let round = 0; round < rounds; round++) {
    starts.push(await measureStart(archive))
    installations.push(await measureInstallation())
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const report = openReport()
report.add({
  name: 'first start with npx',
  unit: 'ms',
  values: starts,
  counterpart: { name: 'npm ci of the clone', values: installations, isPaired: true },
  goal: { max: maxStartMs },
})
report.finish()
