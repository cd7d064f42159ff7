import { randomInt } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { runCommand } from '../bin/run-command.mjs'
import { installSystemPackage } from './install-system-package.mjs'

const debianFolder = '/usr/lib/postgresql'

/**
 * @typedef {object} StartedPostgres
 * @property {string} url
 * @property {(mode: 'fast' | 'immediate') => Promise<void>} restart ends all connections; `immediate` as in a crash
 * @property {() => Promise<void>} pause stops the server, which `restart` starts again
 * @property {(name: 'SIGSTOP' | 'SIGCONT') => Promise<void>} signal freezes all its processes, or lets them go on
 * @property {() => Promise<void>} stop also removes its data
 */

/**
 * Starts a PostgreSQL in a temporary folder. Installs it when it is missing and can be installed. Returns undefined
 * when this machine has none, or when it does not start.
 *
 * @returns {Promise<StartedPostgres | undefined>}
 */
export async function startPostgres() {
  const programs = findPrograms() ?? ((await installSystemPackage('postgresql')) ? findPrograms() : undefined)
  if (programs === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'yonder-postgres-'))
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    await runCommand('chown', ['postgres', folder], { quiet: true })
    chmodSync(folder, 0o755)
  }
  const run = (/** @type {string} */ program, /** @type {string[]} */ parameters) =>
    isRoot
      ? runCommand('runuser', ['-u', 'postgres', '--', join(programs, program), ...parameters], quietly)
      : runCommand(join(programs, program), parameters, quietly)
  const data = join(folder, 'data')
  const stop = async () => {
    await run('pg_ctl', ['stop', '-D', data, '-m', 'immediate'])
    rmSync(folder, { recursive: true, force: true })
  }
  // Below the ports that the system gives to connections, which other tests use in large numbers.
  const port = randomInt(10_000, 32_000)
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`
  const steps = /** @type {const} */ ([
    ['initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync']],
    ['pg_ctl', ['start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', options]],
  ])
  for (const [program, parameters] of steps) {
    const { code, output } = await run(program, [...parameters])
    if (code === 0) continue
    console.log(`PostgreSQL's ${program} failed:\n${output.trimEnd()}`)
    await stop()
    return undefined
  }
  const control = async (/** @type {string[]} */ ...parameters) => {
    const { code, output } = await run('pg_ctl', parameters)
    if (code !== 0) throw new Error(`pg_ctl ${parameters[0]} failed: ${output.trimEnd()}`)
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    restart: (mode) =>
      control('restart', '-w', '-D', data, '-m', mode, '-l', join(folder, 'log'), '-o', options),
    signal: async (name) => {
      const [main = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
      // First, so that it starts no others meanwhile.
      process.kill(Number(main), name)
      const { output } = await runCommand('ps', ['-o', 'pid=', '--ppid', main], quietly)
      for (const pid of output.trim().split(/\s+/)) {
        try {
          process.kill(Number(pid), name)
        } catch {
          // It has ended meanwhile.
        }
      }
    },
    pause: () => control('stop', '-w', '-D', data, '-m', 'fast'),
    stop,
  }
}

const quietly = { quiet: true, cwd: tmpdir() }

function findPrograms() {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).toSorted().toReversed() : []
  return [
    ...versions.map((version) => join(debianFolder, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ].find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')))
}
