import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  addToInstallation,
  BackupScene,
  createOptions,
  hashInstallation,
  hashRows,
  installationOf,
  restoreOptions,
  secretKey,
} from '../../testing/backup/backup-scene.ts'
import { fillTables } from '../../testing/database/fill-tables.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, isConcurrent, openTestDatabase } from '../../testing/database/test-database.ts'
import { lockDataFolder } from '../lock-data-folder.ts'
import { readSnapshot } from '../read-snapshot.ts'
import { hashContent } from './copy-rows.ts'
import { createBackup } from './create-backup.ts'
import { moveToPostgres } from './move-to-postgres.ts'
import { restoreBackup } from './restore-backup.ts'

const scene = new BackupScene()

describe.runIf(engines.some((engine) => engine === 'postgres' && isConcurrent(engine)))(
  'moving to PostgreSQL',
  () => {
    it('copies all rows, leaves the SQLite file as it is, and refuses a database with data', async () => {
      const source = await openTestDatabase('sqlite')
      await fillTables(source)
      const rows = await hashRows(source)
      const { dataDir } = source.location
      const { sha256 } = await readSnapshot(source, hashContent)
      const url = (await scene.openTarget('postgres')).databaseUrl ?? ''
      const move = () => moveToPostgres(dataDir, url, () => undefined)
      expect((await move()).sha256).toBe(sha256)
      const target = { dataDir, databaseUrl: url, secretKey }
      expect(await hashInstallation(target)).toEqual(rows)
      expect(await hashRows(source)).toEqual(rows)
      await addToInstallation(target)
      const before = await hashInstallation(target)
      await expect(move()).rejects.toThrow('already has data of Yonder. Use an empty database.')
      expect(await hashInstallation(target)).toEqual(before)
      const lock = await lockDataFolder(dataDir)
      await expect(move()).rejects.toThrow(/is in use by another server/)
      lock.release()
      await source.close()
    }, 60_000)

    it('never touches tables of another program', async () => {
      const source = await openTestDatabase('sqlite')
      const target = await openTestDatabase('postgres')
      await sql`alter table migrations rename column applied_at to batch`.execute(target.db)
      const before = await hashTables(target)
      const { dataDir } = source.location
      const move = moveToPostgres(dataDir, target.location.databaseUrl ?? '', () => undefined)
      await expect(move).rejects.toThrow('The database has tables of another program')
      await createBackup(installationOf(source), scene.file, createOptions)
      await expect(restoreBackup(installationOf(target), scene.file, restoreOptions)).rejects.toThrow(
        'The database has tables of another program',
      )
      expect(await hashTables(target)).toEqual(before)
      await source.close()
      await target.close()
    })
  },
)
