import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fixtureSettings, fixtureUrl } from './fixtures.ts'

const maxStartMs = 120_000

export interface ProductProcess {
  /** Stops it as an operator does, so that everything is stored. */
  stop(): Promise<void>
}

/**
 * Starts the server of the version whose repository is at `folder`, from its sources, with the address and settings of
 * fixtures.
 */
export async function startProduct(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<ProductProcess> {
  const { port } = new URL(fixtureUrl)
  const child = spawn(process.execPath, ['--import', 'tsx', join(folder, 'server/main.ts')], {
    cwd: join(folder, 'server'),
    env: {
      HOST: '127.0.0.1',
      PORT: port,
      PUBLIC_URL: fixtureUrl,
      ...fixtureSettings,
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const exited = once(child, 'close')
  const deadline = Date.now() + maxStartMs
  while ((await fetch(`${fixtureUrl}/readyz`).catch(() => undefined))?.ok !== true) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`The server did not start:\n${errors}`)
    }
    await wait(200)
  }
  return {
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
