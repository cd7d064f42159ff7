import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { botRow } from '../../testing/factories/bots.ts'
import { addUser } from '../../testing/factories/users.ts'
import { compareSecretKey } from './compare-secret-key.ts'
import { sealCredential } from './credential.ts'
import { insertKey } from './key-store.ts'
import { botKeyContext, installationKeyContext } from './seal-contexts.ts'
import { createSealer } from './seal-secret.ts'

const own = createSealer('the key of this installation, which is long')
const former = createSealer('a former key of this installation, also long')

describe.each(engines)('the key of an installation on %s', (engine) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await openTestDatabase(engine)
  })
  afterEach(() => database.close())

  async function addBotKey(id: string, sealer: typeof own) {
    const row = botRow({ id, name: id })
    const credential = { secret: 'key', address: null }
    const api_key = sealCredential(sealer, botKeyContext(row), credential)
    await database.db
      .insertInto('bots')
      .values({ ...row, api_key })
      .execute()
  }
  const addSignInKey = (sealer: typeof own) =>
    insertKey(database.db, 'form', sealer.seal('key', installationKeyContext('form')), 1)
  const compare = () => compareSecretKey(database.db, own)

  it('is compared with the keys of the sign-in, whatever users have stored', async () => {
    await addUser(database.db, { id: 'ada' })
    expect(await compare()).toBe('unknown')
    await addSignInKey(own)
    await addBotKey('stale', former)
    expect(await compare()).toBe('fits')
    await database.db.deleteFrom('keys').execute()
    await addSignInKey(former)
    await addBotKey('fresh', own)
    expect(await compare()).toBe('differs')
  })

  it('is compared with the keys of users when there are none of the sign-in, and may fit only some', async () => {
    await addUser(database.db, { id: 'ada' })
    await addBotKey('stale', former)
    expect(await compare()).toBe('differs')
    await addBotKey('fresh', own)
    expect(await compare()).toBe('fits')
  })
})
