import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export type RunningProcess = Awaited<ReturnType<typeof startProcess>>

/** Clock ticks per second in `/proc` on Linux. */
const ticksPerSecond = 100
/** A process is idle when it uses at most `maxIdleTicks` in this period. Its periodic work takes less. */
const idlePeriodMs = 500
const maxIdleTicks = 1

/** Starts a process and waits for its first line. TypeScript runs with the tsx loader. */
export async function startProcess(
  script: string,
  parameters: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const loader = script.endsWith('.ts') ? ['--import', 'tsx'] : []
  const child = spawn(process.execPath, [...loader, script, ...parameters], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Otherwise a benchmark that fails would leave it running.
  const kill = () => child.kill()
  process.once('exit', kill)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  void exited.then(() => process.off('exit', kill))
  const usedTicks = (): number => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  }
  const running = {
    /** The CPU time of all its threads so far. */
    cpuMicroseconds: () => (usedTicks() * 1_000_000) / ticksPerSecond,
    /** Waits until deferred work, such as indexing, is done. */
    waitUntilIdle: async () => {
      for (;;) {
        const before = usedTicks()
        await wait(idlePeriodMs)
        if (usedTicks() - before <= maxIdleTicks) return
      }
    },
    /** Its resident memory. */
    memoryBytes: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
    },
    end: async () => {
      child.kill()
      await exited
    },
  }
  const lines = createInterface({ input: child.stdout })
  const line = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    void exited.then(() => reject(new Error(`${script} ended before it printed a line.`)))
  })
  return { /** The first line of its output. */ line, ...running }
}

/** The path of another part of the benchmarks. */
export const partPath = (name: string): string => fileURLToPath(new URL(`${name}.ts`, import.meta.url))
