import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { findInstallReason } from './find-install-reason.mjs'
import { rootFolder, runCommand } from './run-command.mjs'

const minNode = [20, 19]

const compilerHint = `SQLite's native module does not load, and building it failed.
It is downloaded where a prebuilt version exists. Otherwise it is compiled, which needs g++, make and python3:
  Debian, Ubuntu:  apt-get install g++ make python3
  Fedora:          dnf install gcc-c++ make python3
  macOS:           xcode-select --install
Then run this command again.`

/**
 * The SQLite package for this Node, as `server/db/dialects/sqlite-file.ts` chooses it, and how npm builds it. The newer one
 * is prebuilt for most systems. `npm install` must not run the older one's install script, or it would be compiled where it is not
 * used; `ensureSqlite` runs it.
 */
const sqlite =
  Number(process.versions.napi) >= 10
    ? { name: 'better-sqlite3', build: ['explore', 'better-sqlite3', '--', 'node-gyp rebuild --release'] }
    : { name: 'better-sqlite3-12', build: ['run', 'install', '--prefix', 'node_modules/better-sqlite3-12'] }

/**
 * Prepares the clone: checks Node, installs the packages, and makes sure that SQLite loads. Silent and fast when nothing
 * is missing. Exits with a message when something cannot be installed.
 */
export async function setUp() {
  await installMissing()
  await ensureSqlite()
}

/** The first part of `setUp`: enough to check and to build. It leaves out SQLite, which may take a minute to compile. */
export async function installMissing() {
  requireNode()
  const reason = findInstallReason(rootFolder)
  if (reason !== undefined) await installPackages(reason)
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [minMajor = 0, minMinor = 0] = minNode
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return
  exitWith(
    `Yonder needs Node ${minNode.join('.')} or newer; this is ${process.versions.node}. Download it from https://nodejs.org`,
  )
}

/** @param {string} reason */
async function installPackages(reason) {
  console.log(`Installing packages: ${reason}.`)
  // `ci` deletes node_modules first, so it is only for a clone without it. It also fails when the lock file is outdated.
  const commands = existsSync(`${rootFolder}node_modules`) ? ['install'] : ['ci', 'install']
  for (const command of commands) {
    const { code } = await runNpm([command, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
    if (code === 0) return
    console.log(`npm ${command} failed (code ${code}); its message is printed above.`)
  }
  exitWith('The packages could not be installed.')
}

/**
 * SQLite's own build uses -O2. The package asks for -O3, which takes 50 % longer to compile and runs no faster. Compilers use
 * the last -O that is given. MSVC ignores these variables.
 */
const compilerFlags = {
  CFLAGS: `-O2 ${process.env['CFLAGS'] ?? ''}`,
  CXXFLAGS: `-O2 ${process.env['CXXFLAGS'] ?? ''}`,
}

/** The second part of `setUp`: a SQLite that loads, fetched or compiled where there is none. */
export async function ensureSqlite() {
  if (loadsSqlite()) return
  // The packages were installed with a version of Node that uses the other SQLite package.
  if (!existsSync(`${rootFolder}node_modules/${sqlite.name}`)) {
    await installPackages('SQLite for this Node is missing')
    if (await loadsInNewProcess()) return
  }
  console.log('Downloading SQLite for this Node, or compiling it, which can take two minutes.')
  // The npm settings of this machine may disable scripts, but this package needs its install script.
  const built = await runNpm([...sqlite.build, '--ignore-scripts=false', '--loglevel=error'], {
    quiet: true,
    env: compilerFlags,
  })
  if (await loadsInNewProcess()) return
  console.error(built.output)
  exitWith(compilerHint)
}

/** In a new process, because this one caches failed module look-ups. */
async function loadsInNewProcess() {
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
  const progressTimer = setInterval(() => {
    console.log(`  … still working (${Math.round((Date.now() - started) / 1000)} s)`)
  }, 15_000)
  const npm = process.env['npm_execpath'] ?? ''
  const result = await (npm.endsWith('npm-cli.js')
    ? runCommand(process.execPath, [npm, ...parameters], options)
    : runCommand('npm', parameters, options))
  clearInterval(progressTimer)
  return result
}

/**
 * @param {string} message
 * @returns {never}
 */
function exitWith(message) {
  console.error(`\n${message}`)
  process.exit(1)
}
