import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {object} CommandOptions
 * @property {boolean} [quiet] collects the output instead of printing it
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] in addition to the environment of this process
 * @property {number} [deadlineMs] after which the program is killed, with all its child processes except on Windows
 */

/** The root folder of the repository or of the installed package, with a slash at its end. */
export const rootFolder = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program and returns its exit code, which is 128 when a signal ended the program and 127 when it could not be
 * started, and its output, if `quiet` collects it.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function runCommand(program, parameters, options = {}) {
  const { quiet = false, cwd = rootFolder, env, deadlineMs } = options
  const isWindows = process.platform === 'win32'
  const child = spawn(program, parameters, {
    cwd,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    // A process group can be killed as a whole.
    detached: deadlineMs !== undefined && !isWindows,
    // On Windows npm is a script, which only a shell can start.
    shell: isWindows && program === 'npm',
  })
  let output = ''
  const collect = (/** @type {Buffer} */ chunk) => (output += chunk.toString())
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  const release = deadlineMs === undefined ? undefined : enforceDeadline(child, deadlineMs)
  try {
    const [code] = await once(child, 'close')
    return { code: typeof code === 'number' ? code : 128, output }
  } catch (error) {
    return { code: 127, output: output + String(error) }
  } finally {
    release?.()
  }
}

/**
 * Runs npm, and prints every 15 seconds that it is still working.
 *
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
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

/**
 * Runs a tool of `node_modules` with the same Node.
 *
 * @param {string} scriptPath under `node_modules`
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 */
export function runTool(scriptPath, parameters, options) {
  return runCommand(process.execPath, [`${rootFolder}node_modules/${scriptPath}`, ...parameters], options)
}

/**
 * Kills the child at the deadline: its whole process group, but on Windows only the child itself. Also forwards SIGINT
 * and SIGTERM, because the child is not in our group. The returned function ends both.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} deadlineMs
 */
function enforceDeadline(child, deadlineMs) {
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    if (child.pid === undefined) return
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal)
    } catch {
      // It has already ended.
    }
  }
  const timer = setTimeout(() => {
    console.error(`\nStill running after ${Math.round(deadlineMs / 1000)} s; killed.`)
    kill('SIGKILL')
  }, deadlineMs)
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    kill(signal)
    process.exitCode = 1
  }
  process.once('SIGINT', forward).once('SIGTERM', forward)
  return () => {
    clearTimeout(timer)
    process.off('SIGINT', forward).off('SIGTERM', forward)
  }
}
