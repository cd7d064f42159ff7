import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { moduleUrl } from '../program-path.ts'

/** A second process that locks a SQLite file. Each method resolves when it is done. */
export interface SqliteLocker {
  lock(): Promise<void>
  /** Does nothing when the file is not locked. */
  unlock(): Promise<void>
  /** Ends the process, and with it the lock. */
  close(): Promise<void>
}

/** Executes each line of its input and then prints a line. */
const program = (path: string): string => `
  import { createInterface } from 'node:readline'
  import { SqliteFile } from '${moduleUrl('db/dialects/sqlite-file.ts')}'
  const file = new SqliteFile(${JSON.stringify(path)}, { timeout: 60_000 })
  for await (const line of createInterface({ input: process.stdin })) {
    if (line !== 'rollback' || file.inTransaction) file.exec(line)
    console.log(line)
  }`

/** Starts a process that can lock the SQLite file at `path`. */
export async function startSqliteLocker(path: string): Promise<SqliteLocker> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program(path)], {
    cwd: new URL('../..', import.meta.url),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const lines = createInterface({ input: child.stdout })
  const execute = async (statement: string): Promise<void> => {
    const executed = once(lines, 'line')
    child.stdin.write(`${statement}\n`)
    await executed
  }
  await execute('select 1')
  return {
    lock: () => execute('begin exclusive'),
    unlock: () => execute('rollback'),
    async close() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
