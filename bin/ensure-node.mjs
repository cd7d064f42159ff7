import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join, sep } from 'node:path'
import { nodePackages } from './node-packages.mjs'
import { isAtLeast, oldestNode, oldestStartingNode } from './node-version.mjs'
import { rootFolder, runNpm } from './run-command.mjs'
import { userFolder } from './user-folder.mjs'

/*
 * The first import of every program that is started with `node`. On a Node that is too old for the code, it fetches
 * Node 24 from the npm registry once, runs the same program with it, and ends with its exit code. It uses no package,
 * because none may be installed yet.
 */

if (!isAtLeast(process.versions.node, oldestNode)) await continueWithNewerNode()

/** @returns {Promise<never>} */
async function continueWithNewerNode() {
  const { node } = process.versions
  if (!isAtLeast(node, oldestStartingNode)) return exitWith(`this is ${node}`)
  const system = `${process.platform}-${process.arch}`
  const nodePackage = nodePackages[system]
  if (nodePackage === undefined) return exitWith(`this is ${node}, and the registry has none for ${system}`)
  const { program, problem } = await provideNode(nodePackage)
  if (program === undefined) return exitWith(`this is ${node}, and Node 24 could not be fetched: ${problem}`)
  return runWith(program)
}

/**
 * Returns the program of the package: from the cache, else from the registry.
 *
 * @param {{ name: string, version: string, integrity: string }} nodePackage
 * @returns {Promise<{ program: string, problem?: undefined } | { program?: undefined, problem: string }>}
 */
async function provideNode(nodePackage) {
  const { name, version } = nodePackage
  const file = process.platform === 'win32' ? 'node.exe' : 'node'
  const programIn = (/** @type {string} */ folder) => join(folder, 'node_modules', name, 'bin', file)
  const folders = cacheFolders().map((folder) =>
    join(folder, `node-${version}-${process.platform}-${process.arch}`),
  )
  const found = folders.map(programIn).find((program) => existsSync(program))
  if (found !== undefined) return { program: found }
  const problems = []
  for (const folder of folders) {
    let draft
    try {
      mkdirSync(dirname(folder), { recursive: true })
      draft = mkdtempSync(join(dirname(folder), 'node-'))
      console.error(`Fetching Node ${version}, because this is ${process.versions.node}.`)
      await install(nodePackage, draft)
      // Another start may have fetched it meanwhile.
      if (!existsSync(programIn(folder))) {
        rmSync(folder, { recursive: true, force: true })
        renameSync(draft, folder)
      }
      return { program: programIn(folder) }
    } catch (error) {
      if (existsSync(programIn(folder))) return { program: programIn(folder) }
      problems.push(error instanceof Error ? error.message : String(error))
    } finally {
      if (draft !== undefined) rmSync(draft, { recursive: true, force: true })
    }
  }
  return { problem: [...new Set(problems)].join('; ') }
}

/** A clone keeps it with its other files. A package may be read-only, and a new version of it has a new folder. */
function cacheFolders() {
  const isPackage =
    rootFolder.includes(`${sep}node_modules${sep}`) || !existsSync(join(rootFolder, 'scripts'))
  return isPackage ? [userFolder('cache')] : [join(rootFolder, '.cache'), userFolder('cache')]
}

/**
 * Installs the package with npm, which knows the registry and the proxy of this machine and checks the hash.
 *
 * @param {{ name: string, version: string, integrity: string }} nodePackage
 * @param {string} folder
 */
async function install({ name, version, integrity }, folder) {
  const dependencies = { [name]: version }
  const resolved = `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({
      lockfileVersion: 3,
      packages: { '': { dependencies }, [`node_modules/${name}`]: { version, resolved, integrity } },
    }),
  )
  const { code, output } = await runNpm(['ci', '--ignore-scripts'], { quiet: true, cwd: folder })
  if (code !== 0) throw new Error(output.trim() === '' ? 'npm is not installed' : lastLine(output))
}

/** @param {string} output */
function lastLine(output) {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.includes('complete log'))
  return lines.find((line) => /E[A-Z]{3,}|error/.test(line)) ?? lines.at(-1) ?? ''
}

/**
 * Runs this program with another Node, and ends as it ends.
 *
 * @param {string} program
 * @returns {Promise<never>}
 */
async function runWith(program) {
  // What the program starts, such as npm, finds the same Node.
  const path = `${dirname(program)}${delimiter}${process.env['PATH'] ?? ''}`
  const child = spawn(program, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => {
      // A terminal sends SIGINT to the child as well.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  return new Promise(() => {
    child.on('error', (error) => exitWith(`Node ${program} does not start: ${error.message}`))
    child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
  })
}

/**
 * @param {string} reason
 * @returns {never}
 */
function exitWith(reason) {
  console.error(
    `Yonder needs Node ${oldestNode.replace(/\.0$/, '')} or newer; ${reason}. Download it from https://nodejs.org`,
  )
  process.exit(1)
}
