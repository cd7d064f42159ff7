import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { findInstallReason } from './find-install-reason.mjs'
import { rootFolder, runCommand } from './run-command.mjs'

const oldestNode = [20, 19]

const compilerHint = `SQLite's native module does not load, and building it failed.
It is downloaded ready-made where that is possible and compiled otherwise, which needs g++, make and python3:
  Debian, Ubuntu:  apt-get install g++ make python3
  Fedora:          dnf install gcc-c++ make python3
  macOS:           xcode-select --install
Then run this command again.`

/**
 * The SQLite that fits this Node, as `server/db/sqlite-file.ts` chooses it, and how npm builds it. The newer one comes ready-made
 * for the systems that most people have; the older one would be built on every Node if npm ran its script on its own.
 */
const sqlite =
  Number(process.versions.napi) >= 10
    ? { name: 'better-sqlite3', build: ['explore', 'better-sqlite3', '--', 'node-gyp rebuild --release'] }
    : { name: 'better-sqlite3-12', build: ['run', 'install', '--prefix', 'node_modules/better-sqlite3-12'] }

/**
 * Makes the clone ready to build and run: the right Node, every package, a SQLite that loads.
 * Silent and fast when nothing is missing; ends the process with a sentence when something cannot be had.
 */
export async function setUp() {
  await installMissing()
  await requireSqlite()
}

/** The first part of `setUp`: enough to check and to build. Where SQLite has to be compiled, that takes a minute more. */
export async function installMissing() {
  requireNode()
  const reason = findInstallReason(rootFolder)
  if (reason !== undefined) await installPackages(reason)
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  leave(
    `Yonder needs Node ${oldestNode.join('.')} or newer; this is ${process.versions.node}. Get one from https://nodejs.org`,
  )
}

/** @param {string} reason */
async function installPackages(reason) {
  console.log(`Installing packages: ${reason}.`)
  // `ci` empties node_modules first, so it is for a clone that has none. It also refuses a lock file that lags behind.
  const commands = existsSync(`${rootFolder}node_modules`) ? ['install'] : ['ci', 'install']
  for (const command of commands) {
    const { code } = await runNpm([command, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
    if (code === 0) return
    console.log(`npm ${command} failed (code ${code}); its own message is above.`)
  }
  leave('The packages could not be installed.')
}

/** The second part of `setUp`: a SQLite that loads, fetched or compiled where there is none. */
export async function requireSqlite() {
  if (loadsSqlite()) return
  // It was left out for the Node of that time.
  if (!existsSync(`${rootFolder}node_modules/${sqlite.name}`)) {
    await installPackages('SQLite for this Node is missing')
    if (await loadsAnew()) return
  }
  console.log('Fetching SQLite for this Node, or compiling it, which can take two minutes.')
  // Scripts may be switched off in the npm settings of this machine; this package needs its own.
  const built = await runNpm([...sqlite.build, '--ignore-scripts=false', '--loglevel=error'], {
    quiet: true,
  })
  if (await loadsAnew()) return
  console.error(built.output)
  leave(compilerHint)
}

/** In a process of its own: this one remembers what it has not found. */
async function loadsAnew() {
  const open = `new (require('${sqlite.name}'))(':memory:').close()`
  const { code } = await runCommand(process.execPath, ['-e', open], { quiet: true })
  return code === 0
}

function loadsSqlite() {
  try {
    const Sqlite = createRequire(`${rootFolder}server/package.json`)(sqlite.name)
    new Sqlite(':memory:').close()
    return true
  } catch {
    return false
  }
}

/**
 * @param {readonly string[]} parameters
 * @param {import('./run-command.mjs').CommandOptions} [options]
 */
async function runNpm(parameters, options) {
  const started = Date.now()
  const pulse = setInterval(() => {
    console.log(`  … still working (${Math.round((Date.now() - started) / 1000)} s)`)
  }, 15_000)
  const npm = process.env['npm_execpath'] ?? ''
  const result = await (npm.endsWith('npm-cli.js')
    ? runCommand(process.execPath, [npm, ...parameters], options)
    : runCommand('npm', parameters, options))
  clearInterval(pulse)
  return result
}

/**
 * @param {string} message
 * @returns {never}
 */
function leave(message) {
  console.error(`\n${message}`)
  process.exit(1)
}
