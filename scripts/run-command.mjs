import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The folder of the whole repository. */
export const rootFolder = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program to its end and answers its exit code (128 when a signal ended it, 127 when it is missing).
 * Its output goes to ours, or is collected when `quiet`.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {{ quiet?: boolean, cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function runCommand(program, parameters, { quiet = false, cwd = rootFolder, env } = {}) {
  const child = spawn(program, parameters, {
    cwd,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    // npm is a script file on Windows, which only a shell can start.
    shell: process.platform === 'win32' && program === 'npm',
  })
  let output = ''
  const collect = (/** @type {Buffer} */ chunk) => (output += chunk.toString())
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  try {
    const [code] = await once(child, 'close')
    return { code: typeof code === 'number' ? code : 128, output }
  } catch (error) {
    return { code: 127, output: output + String(error) }
  }
}

/**
 * Runs a tool of `node_modules` with this very Node.
 *
 * @param {string} scriptPath under `node_modules`
 * @param {readonly string[]} parameters
 * @param {{ quiet?: boolean, cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export function runTool(scriptPath, parameters, options) {
  return runCommand(process.execPath, [`${rootFolder}node_modules/${scriptPath}`, ...parameters], options)
}
