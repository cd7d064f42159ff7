import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { buildSqlite, compilerHint, loadsSqlite, runNpm } from '../bin/build-sqlite.mjs'
import { findNodeProblem } from '../bin/node-version.mjs'
import { rootFolder } from '../bin/run-command.mjs'
import { sqliteRelease } from '../bin/sqlite-release.mjs'
import { findInstallReason } from './find-install-reason.mjs'

/**
 * Prepares the clone: checks Node, installs the packages, and makes sure that SQLite loads. Silent and fast when
 * nothing is missing. Exits with a message when this Node is not supported or something cannot be installed.
 */
export async function setUp() {
  await installMissing()
  await ensureSqlite()
}

/**
 * The first part of `setUp`: enough to check and to build. It leaves out SQLite, which may take two minutes to compile.
 */
export async function installMissing() {
  const problem = findNodeProblem(process.versions.node)
  if (problem !== undefined) exitWith(problem)
  const reason = findInstallReason(rootFolder)
  if (reason !== undefined) await installPackages(reason)
}

/** @param {string} reason */
async function installPackages(reason) {
  console.log(`Installing packages: ${reason}.`)
  // `ci` would delete an existing node_modules. It fails when the lock file is outdated; then `install` is tried.
  const commands = existsSync(`${rootFolder}node_modules`) ? ['install'] : ['ci', 'install']
  for (const command of commands) {
    const { code } = await runNpm([command, '--include=dev'])
    if (code === 0) return
    console.log(`npm ${command} failed (code ${code}); its message is printed above.`)
  }
  exitWith('The packages could not be installed.')
}

/**
 * The second part of `setUp`: a SQLite that loads, downloaded or compiled where there is none. `npm install` must
 * not run the install script of the older release, or that release would be downloaded or compiled where it is not
 * used.
 */
export async function ensureSqlite() {
  if (loadsHere()) return
  // The packages were installed with a version of Node that uses the other SQLite package.
  if (!existsSync(`${rootFolder}node_modules/${sqliteRelease.name}`)) {
    await installPackages('SQLite for this Node is missing')
    if (await loadsSqlite(rootFolder)) return
  }
  const output = await buildSqlite(rootFolder)
  if (await loadsSqlite(rootFolder)) return
  console.error(output)
  exitWith(compilerHint)
}

/** Whether SQLite loads in this process. This is faster than `loadsSqlite`, which starts a new one. */
function loadsHere() {
  try {
    const Sqlite = createRequire(`${rootFolder}server/package.json`)(sqliteRelease.name)
    new Sqlite(':memory:').close()
    return true
  } catch {
    return false
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
function exitWith(message) {
  console.error(`\n${message}`)
  process.exit(1)
}
