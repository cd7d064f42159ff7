import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BackupScene, createOptions, installationOf } from '../../testing/backup/backup-scene.ts'
import { fillTables } from '../../testing/database/fill-tables.ts'
import { listTables } from '../../testing/database/list-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { addUser } from '../../testing/factories/users.ts'
import { openDatabase } from '../open-database.ts'
import { readSnapshot } from '../read-snapshot.ts'
import { hashContent } from './copy-rows.ts'
import { createBackup } from './create-backup.ts'
import { copiedTables } from './tables.ts'

const scene = new BackupScene()

describe.each(engines.filter(isConcurrent))('a backup of %s', (engine) => {
  let source: TestDatabase

  beforeEach(async () => {
    source = await openTestDatabase(engine)
  })

  afterEach(() => source.close())

  it('contains every table except those of the search index, migrations, running servers and work of a day', async () => {
    const derived = /search|^sqlite_|^(migrations|nodes|changes|unused_bytes|transfers|notices|visible_tabs)$/
    const tables = (await listTables(source)).filter((name) => !derived.test(name))
    expect(tables.toSorted()).toEqual(copiedTables.toSorted())
  })

  it('that the operator interrupts leaves no file', async () => {
    await fillTables(source)
    writeFileSync(scene.file, 'the former backup')
    const interrupted = new AbortController()
    const create = createBackup(installationOf(source), scene.file, {
      ...createOptions,
      onRows: () => interrupted.abort(new Error('interrupted')),
      signal: interrupted.signal,
    })
    await expect(create).rejects.toThrow('interrupted')
    expect(readdirSync(scene.folder)).toEqual(['Sicherung vom Döner.backup'])
    expect(readFileSync(scene.file, 'utf8')).toBe('the former backup')
  })

  it('of a running server has the data of one moment', async () => {
    await addUser(source.db, { id: 'before' })
    const hash = await readSnapshot(source, async (snapshot) => {
      const before = await hashContent(snapshot)
      const second = await openDatabase(source.location)
      await addUser(second.db, { id: 'after' })
      await second.close()
      expect(await hashContent(snapshot)).toEqual(before)
      return before.sha256
    })
    expect((await readSnapshot(source, hashContent)).sha256).not.toBe(hash)
  })
})
