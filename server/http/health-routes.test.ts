import { copyFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { openTestApp, type TestApp } from '../testing/test-app.ts'

const token = 'token-for-metrics'
const asProbe = { host: '10.0.0.7' }

let product: TestApp
beforeAll(async () => {
  product = await openTestApp({ environment: { METRICS_TOKEN: token } })
})
afterAll(() => product.close())

describe('health', () => {
  it('is served for any host name, because probes use none', async () => {
    for (const url of ['/healthz', '/readyz']) {
      expect((await product.app.inject({ url, headers: asProbe })).statusCode).toBe(200)
    }
  })

  it('is not ready without the database, but still alive', async () => {
    const other = await openTestApp()
    await other.database.db.destroy()
    const ready = await other.app.inject({ url: '/readyz', headers: asProbe })
    expect(ready.statusCode).toBe(503)
    expect(ready.json()).toMatchObject({ error: { code: 'unavailable' } })
    expect(ready.body).toContain('The database does not respond.')
    expect((await other.app.inject({ url: '/healthz', headers: asProbe })).statusCode).toBe(200)
    await other.close()
  })
})

describe.each(engines)('readiness on %s', (engine) => {
  it('proves a write that changes nothing, once for all probes that wait for it', async () => {
    let checks = 0
    const database = await openTestDatabase(engine)
    const counted: TestDatabase = {
      ...database,
      check: (maxMs) => {
        checks += 1
        return database.check(maxMs)
      },
    }
    const other = await openTestApp({ database: counted })
    const before = await hashTables(database)
    const probe = () => other.app.inject({ url: '/readyz', headers: asProbe })
    const statuses = (await Promise.all(Array.from({ length: 20 }, probe))).map(
      ({ statusCode }) => statusCode,
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(checks).toBe(1)
    expect(await hashTables(database)).toEqual(before)
    await sql`drop table installation`.execute(database.db)
    expect((await probe()).statusCode).toBe(503)
    await other.close()
    await database.close()
  })
})

it('is not ready after the file of the database was replaced, until it is back', async () => {
  const other = await openTestApp()
  const path = join(other.database.location.dataDir, 'yonder.sqlite')
  const probe = async () => (await other.app.inject({ url: '/readyz', headers: asProbe })).json<unknown>()
  renameSync(path, `${path}.kept`)
  copyFileSync(`${path}.kept`, path)
  expect(await probe()).toMatchObject({
    error: { message: expect.stringContaining('was deleted or replaced') as string },
  })
  renameSync(`${path}.kept`, path)
  expect(await probe()).toEqual({ status: 'ready' })
  await other.close()
})

describe('metrics', () => {
  const read = (authorization?: string, remoteAddress = '10.0.0.9') =>
    product.app.inject({
      url: '/metrics',
      remoteAddress,
      headers: authorization === undefined ? {} : { authorization },
    })

  it('require their token, also from the local machine', async () => {
    for (const answer of [await read(), await read('Bearer another'), await read(undefined, '127.0.0.1')]) {
      expect(answer.statusCode).toBe(404)
      expect(answer.body).not.toContain('yonder_')
    }
    const answer = await read(`Bearer ${token}`)
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toMatch(/yonder_http_answers_total\{status="\d+"\} \d+/)
    expect(answer.body).toContain('yonder_active_runs 0')
  })

  it('are served only to the local machine when no token is set', async () => {
    const other = await openTestApp()
    const from = async (remoteAddress: string, headers = {}) =>
      (await other.app.inject({ url: '/metrics', remoteAddress, headers })).statusCode
    expect(await from('10.0.0.9')).toBe(404)
    expect(await from('127.0.0.1')).toBe(200)
    expect(await from('127.0.0.1', { 'x-forwarded-for': '10.0.0.9' })).toBe(404)
    for (const header of ['forwarded', 'x-real-ip', 'via', 'x-forwarded-proto', 'cf-connecting-ip']) {
      expect(await from('127.0.0.1', { [header]: '10.0.0.9' })).toBe(404)
    }
    expect(await from('127.0.0.1', { host: 'chat.example.com' })).toBe(404)
    expect(await from('127.0.0.1', { host: '127.0.0.1:3000' })).toBe(200)
    await other.close()
  })
})
