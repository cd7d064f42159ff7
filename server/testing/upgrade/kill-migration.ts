import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { moduleUrl } from '../program-path.ts'
import type { RestoredFixture } from './restore-fixture.ts'

/**
 * Migrates a fixture in a process of its own, which kills itself with SIGKILL in the migration number `killAt`, counted
 * from 1 among those that it runs: after all statements and before the commit. Earlier migrations are committed.
 * Returns the signal that ended the process, and its errors.
 */
export async function killMigration(
  { dataDir, databaseUrl }: Pick<RestoredFixture, 'dataDir' | 'databaseUrl'>,
  killAt: number,
): Promise<{ readonly signal: string | null; readonly errors: string }> {
  const code = `
    import { migrate } from ${JSON.stringify(moduleUrl('db/migrate.ts'))}
    import { openStoredDatabase } from ${JSON.stringify(moduleUrl('db/open-database.ts'))}
    // The last statement of each migration.
    const records = new WeakSet()
    let executed = 0
    const killer = {
      transformQuery({ node, queryId }) {
        if (node.sqlFragments?.[0].startsWith('insert into migrations')) records.add(queryId)
        return node
      },
      async transformResult({ queryId, result }) {
        if (records.has(queryId) && ++executed === ${killAt}) process.kill(process.pid, 'SIGKILL')
        return result
      },
    }
    const database = await openStoredDatabase(${JSON.stringify({ dataDir, databaseUrl })})
    await migrate({ ...database, db: database.db.withPlugin(killer) })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [[, signal], errors] = await Promise.all([
    once(child, 'close') as Promise<[number | null, string | null]>,
    text(child.stderr),
  ])
  return { signal, errors }
}
