import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { programParameters } from './program-path.ts'

export interface MainProcess {
  readonly port: number
  /** Without a final slash. */
  readonly base: string
  readonly dataDir: string
  readonly pid: number
  /** Everything that the process has printed so far. */
  output(): string
  readonly alive: boolean
  /** Sends a signal and waits for the exit. Returns the exit code, null after SIGKILL. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): Promise<number | null>
  /** Starts the process again with the same port and data, after `end`. */
  restart(): Promise<void>
  /** Stops the process and removes its data. */
  remove(): Promise<void>
}

const maxStartMs = 30_000

/** Starts `main.ts` in a process of its own, with real sign-in. `settings` are added to its environment. */
export async function startMain(settings: Readonly<Record<string, string>> = {}): Promise<MainProcess> {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const dataDir = mkdtempSync(join(tmpdir(), 'yonder-main-'))
  let printed = ''
  let started = start()
  await ready()

  function start() {
    const child = spawn(process.execPath, programParameters('main.ts'), {
      // Another folder than the repository, so that the developer's `.env` is not read.
      cwd: dataDir,
      env: {
        NODE_ENV: 'production',
        PORT: String(port),
        HOST: '127.0.0.1',
        PUBLIC_URL: base,
        DATA_DIR: dataDir,
        CONNECTOR_REGISTRY_URL: 'none',
        DRAIN_SECONDS: '0',
        RATE_LIMIT_SIGN_IN: '10000',
        RATE_LIMIT_OIDC: '100000',
        RATE_LIMIT_COMPLETIONS: '10000',
        RATE_LIMIT_WRITES: '10000',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const collect = (chunk: Buffer) => (printed += chunk.toString())
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    return { child, exited: once(child, 'close') as Promise<[number | null]> }
  }

  async function ready(): Promise<void> {
    const { child } = started
    const deadline = Date.now() + maxStartMs
    while (child.exitCode === null && Date.now() < deadline) {
      const response = await fetch(`${base}/readyz`).catch(() => undefined)
      if (response?.ok === true) return
      await wait(50)
    }
    child.kill('SIGKILL')
    throw new Error(`The product did not become ready:\n${printed}`)
  }

  async function end(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): Promise<number | null> {
    started.child.kill(signal)
    const [code] = await started.exited
    return code
  }

  return {
    port,
    base,
    dataDir,
    get pid() {
      return started.child.pid ?? 0
    },
    output: () => printed,
    get alive() {
      return started.child.exitCode === null && started.child.signalCode === null
    },
    end,
    async restart() {
      started = start()
      await ready()
    },
    async remove() {
      await end('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
