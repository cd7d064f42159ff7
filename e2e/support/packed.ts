import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from '@playwright/test'
import { rootFolder, runCommand } from '../../bin/run-command.mjs'

export interface FinishedCommand {
  /** Null after a signal. */
  readonly code: number | null
  readonly output: string
}

export interface RunningCommand {
  /** What it has printed so far on both outputs. */
  output(): string
  /** Waits until it listens, and returns its address. Throws with the output when it ends instead. */
  listening(): Promise<string>
  /** Ends it with SIGTERM, if it still runs, and waits. */
  stop(): Promise<FinishedCommand>
}

export interface StartOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The root of a copy of the package, to run instead of the unpacked one. */
  readonly root?: string
}

/** The package as `npm pack` makes it, unpacked as npm would install it. */
export interface Packed {
  /** The working folder of the commands. Its path has a space and letters outside ASCII. */
  readonly folder: string
  /** The home of the user, empty at first. */
  readonly home: string
  /** The root of the unpacked package. */
  readonly root: string
  /** Runs `yonder` with these parameters. Of the environment of the tests it gets only `PATH`. */
  start(parameters: readonly string[], options?: StartOptions): RunningCommand
  /** Runs `yonder` in the same way, and waits for its end. */
  run(parameters: readonly string[], options?: StartOptions): Promise<FinishedCommand>
}

/** `npm pack` runs once per worker; every test gets a home and a working folder of its own. */
export const test = base.extend<{ packed: Packed }, { unpacked: string }>({
  unpacked: [
    async ({}, use) => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'yonder paket ü 包-')))
      await unpackInto(folder)
      await use(folder)
      rmSync(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  packed: async ({ unpacked }, use) => {
    const folder = mkdtempSync(join(unpacked, 'test-'))
    const started: RunningCommand[] = []
    await use(openPacked(unpacked, folder, (one) => started.push(one)))
    for (const one of started) await one.stop()
  },
})

async function unpackInto(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  await requireSuccess('npm', ['pack', '--silent', '--pack-destination', folder])
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  await requireSuccess('tar', ['-xzf', archive], folder)
  // npm would need a network to install SQLite, so the packages that the repository has installed are used.
  const sqlite = 'better-sqlite3'
  symlinkSync(join(rootFolder, 'node_modules', sqlite), join(modules, sqlite), 'junction')
}

async function requireSuccess(program: string, parameters: readonly string[], cwd = rootFolder) {
  const { code, output } = await runCommand(program, parameters, { cwd, quiet: true })
  if (code !== 0) throw new Error(`${program} ${parameters.join(' ')} failed:\n${output}`)
}

function openPacked(unpacked: string, folder: string, onStart: (started: RunningCommand) => void): Packed {
  const root = join(unpacked, 'package')
  const home = join(folder, 'home')
  mkdirSync(home)

  function start(parameters: readonly string[], { cwd = folder, env, root: from = root }: StartOptions = {}) {
    const child = spawn(process.execPath, [join(from, 'bin/yonder.mjs'), ...parameters], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (chunk: Buffer) => (output += chunk.toString())
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const ended = new Promise<FinishedCommand>((resolve) =>
      child.once('close', (code) => resolve({ code, output })),
    )
    const started: RunningCommand = {
      output: () => output,
      listening: () =>
        new Promise((resolve, reject) => {
          const look = () => {
            const address = /^Yonder is at (\S+)\nIts data is in .+$/m.exec(output)?.[1]
            if (address !== undefined) resolve(address)
          }
          child.stdout.on('data', look)
          look()
          void ended.then(() => reject(new Error(`The command ended:\n${output}`)))
        }),
      stop: () => {
        child.kill()
        return ended
      },
    }
    onStart(started)
    return { ended, started }
  }

  return {
    folder,
    home,
    root,
    start: (parameters, options) => start(parameters, options).started,
    run: (parameters, options) => start(parameters, options).ended,
  }
}
