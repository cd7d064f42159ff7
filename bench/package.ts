import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { rootFolder, runCommand } from '../bin/run-command.mjs'
import { freePort } from '../server/testing/free-port.ts'
import { openReport } from './parts/open-report.ts'

/*
 * Measures `npx ./yonder-<version>.tgz` until the server is ready, in an empty folder with an empty home and so with a
 * cold cache of npm, beside `npm ci` of the clone under the same conditions. It uses the network. `npm run bench
 * package [rounds] [versions of Node]` fetches these versions from npm.
 */

const [rounds = '3', ...versions] = process.argv.slice(2)
const maxStartMs = 20_000
const megabyte = 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'yonder-package-'))
const npm = process.env['npm_execpath'] ?? ''
const npx = join(dirname(npm), 'npx-cli.js')
if (!existsSync(npx)) throw new Error('Start it with `npm run bench package`.')

/** Returns only what a bare machine has in its environment too, and what this machine needs to reach the network. */
function environment(node: string, home: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) =>
      value !== undefined && /^(npm_config_nodedir|NODE_EXTRA_CA_CERTS|https?_proxy)$/i.test(name),
  )
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    PATH: [dirname(node), process.env['PATH']].join(delimiter),
    HOME: home,
    LOG_LEVEL: 'warn',
  }
}

/** Installs this version of Node from npm, and returns the path of its program. */
async function fetchNode(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const target = join(rootFolder, '.cache', `node-${version}`)
  mkdirSync(target, { recursive: true })
  const parameters = ['install', '--prefix', target, '--no-save', `${name}@${version}`]
  const { code, output } = await runCommand(process.execPath, [npm, ...parameters], {
    quiet: true,
    cwd: target,
  })
  if (code !== 0) throw new Error(output)
  return join(target, 'node_modules', name, 'bin/node')
}

async function pack(): Promise<string> {
  const parameters = [npm, 'pack', '--silent', '--pack-destination', folder]
  const { code, output } = await runCommand(process.execPath, parameters, { quiet: true })
  if (code !== 0) throw new Error(output)
  return readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
}

interface FirstStart {
  readonly startMs: number
  /** Packages that npm installed beside the package itself. */
  readonly dependencies: number
  readonly installedBytes: number
}

async function measureStart(node: string, archive: string): Promise<FirstStart> {
  const run = mkdtempSync(join(folder, 'start-'))
  const home = join(run, 'home')
  const work = join(run, 'work')
  for (const path of [home, work]) mkdirSync(path)
  copyFileSync(join(folder, archive), join(work, archive))
  const port = await freePort()
  const startedAt = performance.now()
  const child = spawn(node, [npx, '--yes', `./${archive}`, 'start', '--port', String(port)], {
    cwd: work,
    env: environment(node, home),
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error('The server ended before it was ready.')
    await wait(25)
  }
  const startMs = performance.now() - startedAt
  if (child.pid !== undefined) process.kill(-child.pid)
  await ended
  const modules = join(home, '.npm/_npx', readdirSync(join(home, '.npm/_npx'))[0] ?? '', 'node_modules')
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as { packages: object }
  const result = {
    startMs,
    dependencies: Object.keys(lock.packages).length - 1,
    installedBytes: countBytes(modules),
  }
  rmSync(run, { recursive: true, force: true })
  return result
}

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://localhost:${port}/readyz`).catch(() => undefined)
  return response?.ok === true
}

function countBytes(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** Returns the milliseconds that `npm ci` of the clone takes. It neither builds nor starts. */
async function measureInstallation(node: string): Promise<number> {
  const run = mkdtempSync(join(folder, 'ci-'))
  const home = join(run, 'home')
  mkdirSync(home)
  for (const path of [
    'package.json',
    'package-lock.json',
    ...['contract', 'server', 'web'].map((name) => `${name}/package.json`),
  ]) {
    mkdirSync(dirname(join(run, path)), { recursive: true })
    copyFileSync(join(rootFolder, path), join(run, path))
  }
  const startedAt = performance.now()
  const child = spawn(node, [npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: run,
    env: environment(node, home),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`npm ci ended with code ${code}.`)
  const installMs = performance.now() - startedAt
  rmSync(run, { recursive: true, force: true })
  return installMs
}

const archive = await pack()
const report = openReport('package', '')
const inMegabytes = (bytes: number) => Math.round((bytes / megabyte) * 10) / 10
report.add({
  name: 'size of the package',
  unit: 'MB',
  values: [inMegabytes(statSync(join(folder, archive)).size)],
})
try {
  for (const version of versions.length === 0 ? ['24'] : versions) {
    const node = await fetchNode(version)
    const starts: FirstStart[] = []
    const installations: number[] = []
    for (let round = 0; round < Number(rounds); round++) {
      starts.push(await measureStart(node, archive))
      installations.push(await measureInstallation(node))
    }
    const figure = {
      name: `Node ${version}: first start with npx`,
      unit: 'ms',
      values: starts.map(({ startMs }) => startMs),
    }
    report.add({
      ...figure,
      counterpart: { name: 'npm ci of the clone', values: installations, isPaired: true },
      ...(Number(version.split('.')[0]) >= 22 && { goal: { max: maxStartMs } }),
    })
    const [first] = starts
    if (first === undefined) continue
    report.add({ name: `Node ${version}: dependencies`, unit: 'packages', values: [first.dependencies] })
    report.add({
      name: `Node ${version}: installed`,
      unit: 'MB',
      values: [inMegabytes(first.installedBytes)],
    })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
report.finish()
