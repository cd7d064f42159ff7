import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { rootFolder } from './run-command.mjs'
import { setUp } from './setup.mjs'

await setUp()

// The browser talks to Vite, which hands the server's paths on: one origin, as in production.
const port = Number(process.env['PORT'] ?? 3000)
const serverPort = port + 1
const publicUrl = process.env['PUBLIC_URL'] ?? `http://localhost:${port}`
console.log(`Open ${publicUrl} (the server itself listens on ${serverPort}).`)

const children = [
  startTool('tsx/dist/cli.mjs', ['watch', '--clear-screen=false', 'server/main.ts'], {
    PORT: String(serverPort),
    PUBLIC_URL: publicUrl,
  }),
  startTool('vite/bin/vite.js', ['web', '--port', String(port), '--strictPort'], {
    DEV_SERVER_URL: `http://127.0.0.1:${serverPort}`,
  }),
]

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
  })

// One without the other is of no use.
for (const child of children)
  child.on('exit', (code) => {
    process.exitCode ||= code ?? 0
    for (const other of children) other.kill('SIGTERM')
  })

/**
 * @param {string} scriptPath
 * @param {string[]} parameters
 * @param {NodeJS.ProcessEnv} env
 */
function startTool(scriptPath, parameters, env) {
  return spawn(process.execPath, [join(rootFolder, 'node_modules', scriptPath), ...parameters], {
    cwd: rootFolder,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
}
