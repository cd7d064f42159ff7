import { spawn } from 'node:child_process'
import type { LoadPlan, LoadResult } from './bench-messages.ts'
import { partPath } from './start-process.ts'

/** Runs a plan in a load client process. Returns a result for each target. */
export function runLoad(plan: LoadPlan): Promise<readonly LoadResult[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', partPath('load-client')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', reject)
    child.on('close', () => {
      const results = JSON.parse(output) as readonly LoadResult[]
      const failures = results.flatMap((result) => result.failures)
      if (failures.length > 0) reject(new Error(failures.slice(0, 3).join('\n')))
      else resolve(results)
    })
    child.stdin.end(JSON.stringify(plan))
  })
}
