import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { openNode } from './open-node.ts'

describe.runIf(engines.includes('postgres'))('the servers of a PostgreSQL database', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await openTestDatabase('postgres')
  })
  afterEach(() => database.close())

  const open = (id: string) => openNode(database, id, () => undefined)
  const isFree = () => database.db.transaction().execute((trx) => database.dialect.lockOutServers(trx))

  it('keep a restore out while they run, and after a kill until their lease has ended', async () => {
    expect(await isFree()).toBe(true)
    const node = await open('one')
    expect(await isFree()).toBe(false)
    await node.close()
    expect(await isFree()).toBe(true)
    const killed = await open('two')
    await database.db.updateTable('nodes').set({ lease_until: 1 }).execute()
    expect(await isFree()).toBe(true)
    await killed.close()
  })

  it('tell whether another one can take over', async () => {
    const [one, two] = [await open('one'), await open('two')]
    expect(await one.drain()).toBe(true)
    expect(await two.drain()).toBe(false)
    await Promise.all([one.close(), two.close()])
  })
})
