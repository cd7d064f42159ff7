import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { rootFolder } from '../bin/run-command.mjs'
import { loadSettings } from './load-settings.mjs'
import { setUp } from './setup.mjs'

await setUp()
loadSettings(join(rootFolder, '.env'))

// The browser uses Vite, which forwards the server's paths, so that there is one origin as in production.
const port = Number(process.env['PORT'] ?? 3000)
const serverPort = port + 1
const publicUrl = process.env['PUBLIC_URL'] ?? `http://localhost:${port}`
console.log(`Open ${publicUrl} (the server itself listens on ${serverPort}).`)

// Without a Google client in the settings, Gmail and Google Calendar use a stand-in.
const standIn = process.env['GOOGLE_CLIENT_ID'] ? undefined : startStandIn(port + 2)

const children = [
  ...(standIn === undefined ? [] : [standIn]),
  startTool('tsx/dist/cli.mjs', ['watch', '--clear-screen=false', 'server/main.ts'], {
    PORT: String(serverPort),
    PUBLIC_URL: publicUrl,
    ...(standIn === undefined ? {} : await readEnvironment(standIn)),
  }),
  startTool('vite/bin/vite.js', ['web', '--port', String(port), '--strictPort'], {
    DEV_SERVER_URL: `http://127.0.0.1:${serverPort}`,
  }),
]

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
  })

// When one process ends, the others end too.
for (const child of children)
  child.on('exit', (code) => {
    process.exitCode ||= code ?? 0
    for (const other of children) other.kill('SIGTERM')
  })

/** @param {number} standInPort */
function startStandIn(standInPort) {
  console.log(`A stand-in for Google listens on ${standInPort}. Set GOOGLE_CLIENT_ID to use the real one.`)
  const script = ['server/testing/google-stand-in/run-google-stand-in.ts', String(standInPort)]
  return startTool('tsx/dist/cli.mjs', script, {}, 'pipe')
}

/**
 * Reads the settings that point the server at the stand-in, from its first line of output.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<Record<string, string>>}
 */
async function readEnvironment({ stdout }) {
  if (stdout !== null) for await (const line of createInterface(stdout)) return JSON.parse(line)
  throw new Error('The stand-in for Google did not start.')
}

/**
 * @param {string} scriptPath
 * @param {string[]} parameters
 * @param {NodeJS.ProcessEnv} env
 * @param {'inherit' | 'pipe'} [output]
 */
function startTool(scriptPath, parameters, env, output = 'inherit') {
  return spawn(process.execPath, [join(rootFolder, 'node_modules', scriptPath), ...parameters], {
    cwd: rootFolder,
    stdio: ['inherit', output, 'inherit'],
    env: { ...process.env, ...env },
  })
}
