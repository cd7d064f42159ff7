import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import type { Db } from '../database.ts'
import { prepareQuery } from './prepare-query.ts'

describe.each(engines)('a prepared query on %s', (engine) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase(engine)
  })

  afterEach(() => database.close())

  interface Key {
    readonly name: string
    readonly value: string
  }

  const insertion = (db: Db, key: Key) =>
    db.insertInto('keys').values({ name: key.name, value: key.value, created_at: 0 }).compile()
  const lookUp = prepareQuery((db, key: Pick<Key, 'name'>) =>
    sql<Key>`select name, value from keys where name = ${key.name} and value <> ${'none'}`.compile(db),
  )

  it('binds the values of each call next to constant ones', async () => {
    const insert = prepareQuery(insertion)
    await insert(database.db, { name: 'one', value: '1' })
    await insert(database.db, { name: 'two', value: '2' })
    await insert(database.db, { name: 'three', value: 'none' })
    expect((await lookUp(database.db, { name: 'one' })).rows).toEqual([{ name: 'one', value: '1' }])
    expect((await lookUp(database.db, { name: 'two' })).rows).toEqual([{ name: 'two', value: '2' }])
    expect((await lookUp(database.db, { name: 'three' })).rows).toEqual([])
  })

  it('is built once, also for transactions, and runs in them', async () => {
    const build = vi.fn(insertion)
    const insert = prepareQuery(build)
    await insert(database.db, { name: 'kept', value: '1' })
    const undone = database.db.transaction().execute(async (trx) => {
      await insert(trx, { name: 'undone', value: '2' })
      expect((await lookUp(trx, { name: 'undone' })).rows).toHaveLength(1)
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect((await lookUp(database.db, { name: 'kept' })).rows).toHaveLength(1)
    expect((await lookUp(database.db, { name: 'undone' })).rows).toHaveLength(0)
    expect(build).toHaveBeenCalledTimes(1)
  })

  it('refuses other names than it was built for when it spreads them', async () => {
    const insert = prepareQuery((db, { name, ...rest }: Key & { readonly created_at?: number }) =>
      db
        .insertInto('keys')
        .values({ created_at: 0, name, ...rest })
        .compile(),
    )
    await insert(database.db, { name: 'one', value: '1' })
    await insert(database.db, { value: '2', name: 'two' })
    expect(() => insert(database.db, { name: 'three', value: '3', created_at: 1 })).toThrow(
      'A prepared query takes name, value, and not name, value, created_at.',
    )
    expect((await lookUp(database.db, { name: 'two' })).rows).toEqual([{ name: 'two', value: '2' }])
    expect((await lookUp(database.db, { name: 'three' })).rows).toEqual([])
  })

  it('keeps values that are SQL', async () => {
    const { clock } = database.dialect
    const readClock = prepareQuery((db, asked: { readonly clock: typeof clock; readonly more: number }) =>
      sql<{ time: number | string }>`select ${asked.clock} + cast(${asked.more} as bigint) as time`.compile(
        db,
      ),
    )
    const read = async (more: number) => Number((await readClock(database.db, { clock, more })).rows[0]?.time)
    // One after the other, because the clock goes on between two statements.
    const now = await read(0)
    const later = await read(1_000_000)
    expect(Math.abs(now - Date.now())).toBeLessThan(600_000)
    expect(later - now).toBeGreaterThanOrEqual(1_000_000)
  })

  it('is built separately for each database', async () => {
    const build = vi.fn(insertion)
    const insert = prepareQuery(build)
    const other = await openTestDatabase('sqlite')
    await insert(database.db, { name: 'here', value: '1' })
    await insert(other.db, { name: 'there', value: '2' })
    expect((await lookUp(other.db, { name: 'there' })).rows).toHaveLength(1)
    expect((await lookUp(other.db, { name: 'here' })).rows).toHaveLength(0)
    expect(build).toHaveBeenCalledTimes(2)
    await other.close()
  })
})
