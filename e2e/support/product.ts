import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { rootFolder } from '../../bin/run-command.mjs'
import { freePort } from '../../server/testing/free-port.ts'

/** A running product with a port and a data folder of its own. */
export interface Product {
  /** The origin on this machine. Without `publicOrigin` it is also the public origin. */
  readonly url: string
  readonly dataDir: string
  /** Returns everything the process has printed so far. */
  output(): string
  /** Stops the process with a signal and waits until it has exited. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts it again on the same port and data, and waits until it is ready. */
  start(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

/** The folder with the built product and the pages for tests. */
export const productFolder = process.env['PRODUCT_FOLDER'] ?? rootFolder

const startDeadlineMs = 60_000
const stopDeadlineMs = 10_000

/** How a product differs from the default one. */
export interface ProductOptions {
  /** Environment variables, as an operator sets them. */
  readonly settings?: Readonly<Record<string, string>>
  /** The public origin without its port, such as `https://nas`, when it is not localhost. */
  readonly publicOrigin?: string
  /** Hashes passwords at the cost of a real installation. Without it, hashing costs next to nothing. */
  readonly realPasswords?: boolean
  /** The folder of another build. */
  readonly folder?: string
}

const preload = (name: string) => ['--import', new URL(name, import.meta.url).href]
const fastPasswords = preload('fast-scrypt.mjs')
const fastDemo = preload('fast-demo.mjs')

/** Starts the built product. */
export async function startProduct({
  settings = {},
  publicOrigin = 'http://localhost',
  realPasswords = false,
  folder = productFolder,
}: ProductOptions = {}): Promise<Product> {
  const entry = join(folder, 'server/dist/main.js')
  if (!existsSync(entry))
    throw new Error('The product is not built. Start the browser tests with `npm run e2e`.')
  const dataDir = mkdtempSync(join(tmpdir(), 'yonder-e2e-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  let child: ChildProcess | undefined
  let printed = ''

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [...fastDemo, ...(realPasswords ? [] : fastPasswords), entry], {
      // Another folder than the repository, so that the developer's `.env` is not read.
      cwd: dataDir,
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        PORT: String(port),
        HOST: '127.0.0.1',
        PUBLIC_URL: `${publicOrigin}:${port}`,
        DATA_DIR: dataDir,
        LOG_LEVEL: 'warn',
        // The developer's machine may run Ollama.
        OLLAMA_URL: 'none',
        DRAIN_SECONDS: '0',
        RATE_LIMIT_SIGN_IN: '10000',
        RATE_LIMIT_OIDC: '100000',
        RATE_LIMIT_COMPLETIONS: '10000',
        RATE_LIMIT_WRITES: '10000',
        RATE_LIMIT_READS: '10000',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const collect = (chunk: Buffer) => (printed += chunk.toString())
    started.stdout.on('data', collect)
    started.stderr.on('data', collect)
    child = started
    await waitUntilReady(`${url}/readyz`, started, () => printed)
  }

  async function stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const running = child
    child = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const gone = once(running, 'exit')
    running.kill(signal)
    const isLate = await Promise.race([gone.then(() => false), wait(stopDeadlineMs, true, { ref: false })])
    if (!isLate) return
    running.kill('SIGKILL')
    await gone
    throw new Error(`The product did not stop within ${stopDeadlineMs} ms of ${signal}:\n${printed}`)
  }

  async function remove(): Promise<void> {
    try {
      await stop()
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  }

  try {
    await start()
  } catch (error) {
    await remove()
    throw error
  }
  return { url, dataDir, output: () => printed, stop, start, remove }
}

async function waitUntilReady(address: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + startDeadlineMs
  while (child.exitCode === null && Date.now() < deadline) {
    try {
      if ((await fetch(address)).ok) return
    } catch {
      // It does not listen yet.
    }
    await wait(50)
  }
  child.kill('SIGKILL')
  throw new Error(`The product did not become ready. It printed:\n${output()}`)
}

/** The products of one Playwright worker: one for each name, started when it is first requested. */
export interface Products {
  /** `name` identifies the options. */
  get(name: string, options: ProductOptions): Promise<Product>
  /** Stops all of them and removes their data. */
  close(): Promise<void>
}

export function openProducts(): Products {
  const started = new Map<string, Promise<Product>>()
  return {
    get(name, options) {
      const product = started.get(name) ?? startProduct(options)
      started.set(name, product)
      return product
    },
    async close() {
      await Promise.all([...started.values()].map(async (product) => (await product).remove()))
    },
  }
}
