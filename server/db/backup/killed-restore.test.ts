import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOptions, restoreOptions } from '../../testing/backup/backup-scene.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { addUser } from '../../testing/factories/users.ts'
import { moduleUrl } from '../../testing/program-path.ts'
import { runScript } from '../../testing/run-script.ts'
import { openDatabase, sqliteFileName } from '../open-database.ts'
import { createBackup } from './create-backup.ts'
import { restoreBackup } from './restore-backup.ts'

const users = 1_000

describe.each(engines.filter(isConcurrent))('a restore to %s that is killed', (engine) => {
  let target: TestDatabase
  let folder: string

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'yonder-kill-'))
    target = await openTestDatabase(engine)
    for (let user = 0; user < users; user++) await addUser(target.db, { id: `restored ${user}` })
  })

  afterEach(async () => {
    await target.close()
    rmSync(folder, { recursive: true })
  })

  it('leaves the data as it was, and the next restore succeeds', async () => {
    const installation = { ...target.location, dataDir: join(folder, 'data'), secretKey: null }
    const file = join(folder, 'backup')
    const { sha256 } = await createBackup({ ...installation, ...target.location }, file, createOptions)
    const present = await openDatabase(installation)
    await present.db.deleteFrom('users').execute()
    await addUser(present.db, { id: 'present' })
    const before = await hashTables(present)
    await present.close()

    for (const rows of [100, users / 2, users]) {
      const killed = await runScript(`
        import { restoreBackup } from ${JSON.stringify(moduleUrl('db/backup/restore-backup.ts'))}
        await restoreBackup(${JSON.stringify(installation)}, ${JSON.stringify(file)}, {
          lostKey: false,
          confirm: () => Promise.resolve(),
          onVerifiedRows: () => undefined,
          onRestoredRows: (rows) => { if (rows >= ${rows}) process.kill(process.pid, 'SIGKILL') },
        })`)
      expect(killed).toEqual({ status: null, output: '' })
      const database = await openDatabase(installation)
      expect(await hashTables(database)).toEqual(before)
      await database.close()
    }
    const restored = await restoreBackup(installation, file, restoreOptions)
    expect(restored.sha256).toBe(sha256)
    // What the killed restores have left is gone.
    const names = engine === 'sqlite' ? ['data', 'data/server.lock', `data/${sqliteFileName}`] : []
    expect(readdirSync(folder, { encoding: 'utf8', recursive: true }).toSorted()).toEqual([
      'backup',
      ...names,
    ])
  }, 120_000)
})
