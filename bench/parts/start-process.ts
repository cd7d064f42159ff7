import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Running {
  /** The first line that it said. */
  readonly line: string
  /** Microseconds of processor time that it has used, all its threads together. */
  cpu(): number
  /** Bytes of it in memory. */
  memory(): number
  /** Waits until it has done what was left to be done later, such as indexing what it stored. */
  rest(): Promise<void>
  end(): Promise<void>
}

/** Clock ticks a second in `/proc`; Linux has had no other number for decades. */
const ticks = 100
/** Milliseconds of looking whether a process is at rest, longer than what comes up again and again; and ticks that it may use. */
const restTime = 500
const restTicks = 1

/** Starts a process and waits for its first line. TypeScript runs by the loader, JavaScript as it is. */
export async function startProcess(
  script: string,
  parameters: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Running> {
  const loader = script.endsWith('.ts') ? ['--import', 'tsx'] : []
  const child = spawn(process.execPath, [...flags, ...loader, script, ...parameters], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const usedTicks = (): number => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  }
  const running = {
    cpu: () => (usedTicks() * 1_000_000) / ticks,
    rest: async () => {
      for (;;) {
        const before = usedTicks()
        await wait(restTime)
        if (usedTicks() - before <= restTicks) return
      }
    },
    memory: () => {
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
    void exited.then(() => reject(new Error(`${script} ended`)))
  })
  return { line, ...running }
}

/** The path of another part of the benchmarks. */
export const partPath = (name: string): string => fileURLToPath(new URL(`${name}.ts`, import.meta.url))
