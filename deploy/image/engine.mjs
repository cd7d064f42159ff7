import { existsSync } from 'node:fs'
import { runCommand } from '../../bin/run-command.mjs'

export const imageName = 'yonder'

/**
 * @typedef {object} Engine
 * @property {string} program
 * @property {readonly string[]} options before the command
 * @property {readonly string[]} buildOptions
 * @property {readonly string[]} runOptions
 */

/**
 * Podman where no systemd runs, as in a sandbox: containers without systemd's groups, timers and limits, and builds
 * without containers.
 *
 * @type {Engine}
 */
const podmanAlone = {
  program: 'podman',
  options: ['--cgroup-manager=cgroupfs', '--runtime=runc'],
  buildOptions: ['--format=docker', '--isolation=chroot', '--network=host'],
  runOptions: ['--ulimit=nofile=1024:1024', '--ulimit=nproc=1000:1000', '--no-healthcheck'],
}

/** @type {readonly Engine[]} */
const engines = [
  { program: 'docker', options: [], buildOptions: [], runOptions: [] },
  existsSync('/run/systemd/system')
    ? { program: 'podman', options: [], buildOptions: ['--format=docker'], runOptions: [] }
    : podmanAlone,
]

/**
 * Returns Docker if its engine runs, or Podman.
 *
 * @returns {Promise<Engine>}
 */
export async function findEngine() {
  for (const engine of engines) {
    const { code } = await runCommand(engine.program, [...engine.options, 'info'], { quiet: true })
    if (code === 0) return engine
  }
  throw new Error('Neither Docker nor Podman runs here. Debian: apt-get install podman runc')
}

/**
 * Runs a command of the engine and returns its output. Throws when it fails.
 *
 * @param {Engine} engine
 * @param {readonly string[]} parameters
 */
export async function runEngine({ program, options }, parameters) {
  const { code, output } = await runCommand(program, [...options, ...parameters], { quiet: true })
  if (code !== 0) throw new Error(`${program} ${parameters.join(' ')} failed (${code}):\n${output}`)
  return output.trim()
}

/**
 * Builds the image, and prints what the engine prints.
 *
 * @param {Engine} engine
 * @param {string | undefined} baseImage by default the one of the Dockerfile
 */
export async function buildImage({ program, options, buildOptions }, baseImage) {
  const base = baseImage === undefined ? [] : ['--build-arg', `BASE_IMAGE=${baseImage}`]
  const { code } = await runCommand(program, [
    ...options,
    'build',
    `--tag=${imageName}`,
    ...buildOptions,
    ...base,
    '.',
  ])
  if (code !== 0) throw new Error('The image could not be built. The reason is printed above.')
}
