import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFaultProxy, type FaultProxy } from '../../testing/database/start-fault-proxy.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { addUser } from '../../testing/factories/users.ts'
import type { Database } from '../database.ts'
import { findStorageProblem } from '../storage-problem.ts'
import { openPostgres } from './postgres.ts'

const limits = { maxWaitMs: 1_000, maxStatementMs: 300, echoIntervalMs: 200, maxConnections: 4 }

describe.runIf(engines.includes('postgres') && isConcurrent('postgres'))(
  'a silent network before PostgreSQL',
  () => {
    let direct: TestDatabase
    let proxy: FaultProxy
    let database: Database
    const errors: unknown[] = []

    beforeEach(async () => {
      direct = await openTestDatabase('postgres')
      proxy = await startFaultProxy(direct.location.databaseUrl ?? '')
      database = openPostgres(proxy.url, { ...limits, onError: (error) => errors.push(error) })
      errors.length = 0
    })

    afterEach(async () => {
      await database.close()
      await proxy.close()
      await direct.close()
    })

    const names = async () =>
      (await direct.db.selectFrom('users').select('name').execute()).map(({ name }) => name)
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => null,
        (error: unknown) => findStorageProblem(error),
      )
    const insertIn = (name: string) =>
      database.db.transaction().execute((trx) => addUser(trx, { id: name, name }))

    it('delays a read and the beginning of a transaction, which go on with new connections', async () => {
      await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.05)`.execute(database.db)))
      proxy.silence()
      await insertIn('Ada')
      expect(await names()).toEqual(['Ada'])
      proxy.silence()
      expect((await database.db.selectFrom('users').select('name').execute())[0]?.name).toBe('Ada')
      expect(proxy.size).toBe(1)
    })

    it('ends a write with an error, and the next one works', async () => {
      await sql`select 1`.execute(database.db)
      proxy.loseNext('insert', 'request')
      expect(await failure(addUser(database.db, { id: 'lost', name: 'lost' }))).toBe('unreachable')
      await addUser(database.db, { id: 'Ada', name: 'Ada' })
      expect(await names()).toEqual(['Ada'])
    })

    it('does not hide that a commit succeeded', async () => {
      proxy.loseNext('commit', 'response')
      await insertIn('Ada')
      expect(await names()).toEqual(['Ada'])
    })

    it('does not hide that a commit failed, and the server ends the open transaction', async () => {
      proxy.loseNext('commit', 'request')
      expect(await failure(insertIn('lost'))).toBe('unreachable')
      // Would wait for the lock of the first, if that were still open.
      await insertIn('lost')
      expect(await names()).toEqual(['lost'])
    })

    it('says when the outcome of a commit cannot be known', async () => {
      await sql`select 1`.execute(database.db)
      proxy.loseNext('commit', 'response')
      proxy.blackhole()
      expect(await failure(insertIn('Ada'))).toBe('unknown')
      expect(await names()).toEqual(['Ada'])
    })

    it('ends the wait for a connection, and the closing', async () => {
      proxy.blackhole()
      expect(await failure(sql`select 1`.execute(database.db))).toBe('unreachable')
      proxy.refuse()
      expect(await failure(insertIn('Ada'))).toBe('unreachable')
    })

    it('ends the wait for a lock, a long statement and a pause in a transaction', async () => {
      await addUser(direct.db, { id: 'Ada', name: 'Ada' })
      await direct.db.transaction().execute(async (trx) => {
        await trx.updateTable('users').set({ name: 'held' }).execute()
        expect(await failure(database.db.updateTable('users').set({ name: 'late' }).execute())).toBe(
          'timeout',
        )
      })
      expect(await failure(sql`select pg_sleep(60)`.execute(database.db))).toBe('timeout')
      const paused = database.db.transaction().execute(async (trx) => {
        await trx.updateTable('users').set({ name: 'paused' }).execute()
        // Waits for the lock, which the server releases.
        await direct.db.updateTable('users').set({ name: 'next' }).execute()
      })
      expect(await failure(paused)).not.toBeNull()
      expect(await names()).toEqual(['next'])
    })

    it('lets a transaction set a longer limit for itself', async () => {
      await database.db.transaction().execute(async (trx) => {
        await sql`set local statement_timeout = 3000`.execute(trx)
        await sql`select pg_sleep(0.5)`.execute(trx)
      })
      expect(await failure(sql`select pg_sleep(60)`.execute(database.db))).toBe('timeout')
    })

    it('replaces the connection for notifications, and reports the gap', async () => {
      const seen: string[] = []
      const subscription = database.subscribe({
        onRuns: (runIds) => seen.push(`runs ${runIds.join()}`),
        onChange: () => undefined,
        onGap: () => seen.push('gap'),
      })
      await expect
        .poll(async () => (await direct.dialect.notifyRuns(direct.db, [9_000_001]), seen))
        .toContain('runs 9000001')
      proxy.silence()
      await expect.poll(() => seen.includes('gap')).toBe(true)
      // The pool may report its own connection too.
      expect(errors.filter((error) => String(error).includes('for notifications'))).toHaveLength(1)
      await direct.dialect.notifyRuns(direct.db, [9_000_002])
      await expect.poll(() => seen).toContain('runs 9000002')
      proxy.silence()
      await subscription.close()
    })
  },
)
