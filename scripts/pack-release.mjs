import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rootFolder, runCommand } from '../bin/run-command.mjs'
import { setUp } from './setup.mjs'

/*
 * `npm run pack:release` makes `yonder-<version>.tar.gz`: the files of the package together with its only
 * dependency, better-sqlite3 13, for machines that have Node 22.14 or newer, but no npm or no network. It is the same
 * for every system: better-sqlite3 contains prebuilt modules for Linux, macOS and Windows on x64 and arm64.
 */

await setUp()
const { name, version, dependencies } = JSON.parse(readFileSync(join(rootFolder, 'package.json'), 'utf8'))
const release = `${name}-${version}`
const folder = mkdtempSync(join(rootFolder, '.cache', 'release-'))
try {
  await unpack(rootFolder, folder)
  renameSync(join(folder, 'package'), join(folder, release))
  for (const [dependency, exact] of Object.entries(dependencies)) {
    const modules = join(folder, release, 'node_modules')
    mkdirSync(modules, { recursive: true })
    await unpack(`${dependency}@${exact}`, modules)
    renameSync(join(modules, 'package'), join(modules, dependency))
  }
  await run('tar', ['-czf', join(rootFolder, `${release}.tar.gz`), release], folder)
  console.log(`${release}.tar.gz`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Packs a package with npm and unpacks it into `target/package`.
 *
 * @param {string} source
 * @param {string} target
 */
async function unpack(source, target) {
  const printed = await run('npm', ['pack', source, '--silent', '--pack-destination', target], rootFolder)
  const archive = printed.trim().split('\n').at(-1) ?? ''
  await run('tar', ['-xzf', archive], target)
  rmSync(join(target, archive))
}

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {string} cwd
 */
async function run(program, parameters, cwd) {
  const { code, output } = await runCommand(program, parameters, { cwd, quiet: true })
  if (code !== 0) throw new Error(`${program} ${parameters.join(' ')} failed:\n${output}`)
  return output
}
