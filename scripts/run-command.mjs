import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {object} CommandOptions
 * @property {boolean} [quiet] collects the output instead of showing it
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] beyond our own
 * @property {number} [deadlineMs] after which it is killed with everything that it started
 */

/** The folder of the whole repository. */
export const rootFolder = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program to its end and answers its exit code (128 when a signal ended it, 127 when it is missing).
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
    // A group of its own can be killed as a whole.
    detached: deadlineMs !== undefined && !isWindows,
    // npm is a script file on Windows, which only a shell can start.
    shell: isWindows && program === 'npm',
  })
  let output = ''
  const collect = (/** @type {Buffer} */ chunk) => (output += chunk.toString())
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  const release = deadlineMs === undefined ? undefined : holdDeadline(child, deadlineMs)
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
 * Runs a tool of `node_modules` with this very Node.
 *
 * @param {string} scriptPath under `node_modules`
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 */
export function runTool(scriptPath, parameters, options) {
  return runCommand(process.execPath, [`${rootFolder}node_modules/${scriptPath}`, ...parameters], options)
}

/**
 * Kills the child's group at the deadline; until then it gets the signals that we get, as it has left our own group.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} deadlineMs
 */
function holdDeadline(child, deadlineMs) {
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    if (child.pid === undefined) return
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal)
    } catch {
      // It is gone already.
    }
  }
  const timer = setTimeout(() => {
    console.error(`\nStill running after ${Math.round(deadlineMs / 1000)} s; killed.`)
    kill('SIGKILL')
  }, deadlineMs)
  const pass = (/** @type {NodeJS.Signals} */ signal) => {
    kill(signal)
    process.exitCode = 1
  }
  process.once('SIGINT', pass).once('SIGTERM', pass)
  return () => {
    clearTimeout(timer)
    process.off('SIGINT', pass).off('SIGTERM', pass)
  }
}
