import { join } from 'node:path'
import { runCommand } from './run-command.mjs'
import { sqliteRelease } from './sqlite-release.mjs'

const { name } = sqliteRelease

/** Shown to the user when SQLite does not load after `buildSqlite`. */
export const compilerHint = `SQLite's native module does not load, and building it failed.
It is downloaded where a prebuilt version exists. Otherwise it is compiled, which needs g++, make and python3:
  Debian, Ubuntu:  apt-get install g++ make python3
  Fedora:          dnf install gcc-c++ make python3
  macOS:           xcode-select --install
Then run this command again. With Node 22.14 or newer most systems need no compiler.`

/**
 * SQLite's own build uses -O2. The package asks for -O3, which takes 50 % longer to compile and runs no faster.
 * Compilers use the last -O that is given. MSVC ignores these variables.
 */
const compilerFlags = {
  CFLAGS: `-O2 ${process.env['CFLAGS'] ?? ''}`,
  CXXFLAGS: `-O2 ${process.env['CXXFLAGS'] ?? ''}`,
}

/**
 * Builds the native module of SQLite in the `node_modules` of this folder. The older release downloads it where a
 * prebuilt one exists. Returns what npm has printed.
 *
 * @param {string} folder
 * @returns {Promise<string>}
 */
export async function buildSqlite(folder) {
  console.error('Downloading SQLite for this Node, or compiling it, which can take two minutes.')
  // Only the older release has an install script. `npm explore` offers npm's own node-gyp.
  const [command, cwd] =
    name === 'better-sqlite3'
      ? [['explore', name, '--', 'node-gyp rebuild --release'], folder]
      : [['run', 'install'], join(folder, 'node_modules', name)]
  // For the older release: the npm settings of this machine may disable scripts, among them its install script.
  const { output } = await runNpm([...command, '--ignore-scripts=false'], {
    quiet: true,
    cwd,
    env: compilerFlags,
  })
  return output
}

/**
 * Whether SQLite loads from this folder. In a new process, because this one caches failed module look-ups.
 *
 * @param {string} folder
 * @returns {Promise<boolean>}
 */
export async function loadsSqlite(folder) {
  const open = `new (require('${name}'))(':memory:').close()`
  const { code } = await runCommand(process.execPath, ['-e', open], { quiet: true, cwd: folder })
  return code === 0
}

/**
 * Runs npm, and prints every 15 seconds that it is still working.
 *
 * @param {readonly string[]} parameters
 * @param {import('./run-command.mjs').CommandOptions} [options]
 */
export async function runNpm(parameters, options) {
  const started = Date.now()
  const progressTimer = setInterval(() => {
    console.error(`  … still working (${Math.round((Date.now() - started) / 1000)} s)`)
  }, 15_000)
  const npm = process.env['npm_execpath'] ?? ''
  const all = [...parameters, '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const result = await (npm.endsWith('npm-cli.js')
    ? runCommand(process.execPath, [npm, ...all], options)
    : runCommand('npm', all, options))
  clearInterval(progressTimer)
  return result
}
