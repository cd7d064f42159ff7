import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSqlite, compilerHint, loadsSqlite, runNpm } from './build-sqlite.mjs'
import { sqliteRelease } from './sqlite-release.mjs'
import { userFolder } from './user-folder.mjs'

/*
 * The bundled server runs this program when the SQLite that this Node needs does not load. Release 12 is not a
 * dependency, because npm would download or compile it on every machine; release 13 does not have a prebuilt module for
 * every system. The program finds an earlier installation, or installs SQLite in the package's folder or, where that is
 * read-only, in the user's cache. It prints the folder of the module; all else is printed on standard error.
 */

const { name, version } = sqliteRelease
const { platform, arch, versions } = process

/** Several machines and versions of Node may share a home folder. */
const folderName = `sqlite-${version}-${platform}-${arch}-abi${versions.modules}`
const cacheFolders = [fileURLToPath(new URL('../.cache', import.meta.url)), userFolder('cache')]

try {
  const folder = (await findInstalled()) ?? (await install())
  console.log(join(folder, 'node_modules', name))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function findInstalled() {
  for (const cacheFolder of cacheFolders) {
    const folder = join(cacheFolder, folderName)
    if (existsSync(folder) && (await loadsSqlite(folder))) return folder
  }
  return undefined
}

async function install() {
  const draft = makeDraft()
  try {
    return await installInto(draft, join(draft, '..', folderName))
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * @param {string} draft an empty folder
 * @param {string} target the folder to which the draft is renamed when SQLite loads, so that it is never incomplete
 */
async function installInto(draft, target) {
  console.error(`Installing SQLite for Node ${process.versions.node} in ${target}.`)
  // Without this file npm would install into the nearest parent folder that has one.
  writeFileSync(join(draft, 'package.json'), '{ "private": true }')
  const source = `${name}@npm:better-sqlite3@${version}`
  const installed = await runNpm(['install', source, '--ignore-scripts'], { quiet: true, cwd: draft })
  if (installed.code !== 0)
    throw new Error(`${installed.output}\nnpm could not install SQLite. Its message is printed above.`)
  if (!(await loadsSqlite(draft))) {
    const output = await buildSqlite(draft)
    if (!(await loadsSqlite(draft))) throw new Error(`${output}\n${compilerHint}`)
  }
  rmSync(target, { recursive: true, force: true })
  renameSync(draft, target)
  return target
}

function makeDraft() {
  const reasons = []
  for (const cacheFolder of cacheFolders) {
    try {
      mkdirSync(cacheFolder, { recursive: true })
      return mkdtempSync(join(cacheFolder, 'sqlite-'))
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new Error(
    `SQLite has to be installed for this Node, but no folder for it can be written: ${reasons.join('; ')}.\nMake one of these folders writable, or use Node 22.14 or newer, with which most systems need no installation.`,
  )
}
