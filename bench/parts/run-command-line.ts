import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../server/dist/yonder.js', import.meta.url))
const sampleIntervalMs = 20

export interface CommandRun {
  /** What it printed with `--json`. */
  readonly data: unknown
  readonly wallMs: number
  /** The highest resident memory of the process. */
  readonly maxMemoryBytes: number
}

/** Runs a command of the built `yonder` with `--json`. Throws when it fails. */
export async function runCommandLine(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandRun> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [program, ...parameters, '--json'], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let maxMemoryBytes = 0
  const sampling = setInterval(() => {
    maxMemoryBytes = Math.max(maxMemoryBytes, readMaxMemory(child.pid))
  }, sampleIntervalMs)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  clearInterval(sampling)
  if (code !== 0) throw new Error(`yonder ${parameters.join(' ')}: ${output}`)
  return { data: JSON.parse(output), wallMs: performance.now() - startedAt, maxMemoryBytes }
}

/** The kernel keeps the maximum, so only what is allocated after the last sample is missed. */
function readMaxMemory(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    // The process has ended.
    return 0
  }
}
