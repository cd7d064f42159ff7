import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'
import { requireIdentityKeys, rotateSigningKeys } from './identity-keys.ts'

const sealer = createSealer('a secret of thirty-two characters or more')
const day = 86_400_000

describe.each(engines)('the keys of the provider on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  afterAll(() => database.close())

  it('are created once, also by nodes that start together, and stay the same', async () => {
    const all = await Promise.all([0, 1, 2].map((now) => requireIdentityKeys(database.db, sealer, now)))
    expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1)
    expect(all[0]?.signing[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' })
  })

  it('cannot be opened with another secret, and the error names the setting', async () => {
    const other = createSealer('another secret of thirty-two characters')
    await expect(requireIdentityKeys(database.db, other, 0)).rejects.toThrow(/SECRET_KEY/)
  })

  it('get a new signing key after ninety days, and drop the old one when its tokens have expired', async () => {
    const [first] = (await requireIdentityKeys(database.db, sealer, 89 * day)).signing
    const second = await rotateSigningKeys(database.db, sealer, 91 * day)
    expect(second).toHaveLength(2)
    expect(second[1]?.kid).toBe(first?.kid)
    const third = await rotateSigningKeys(database.db, sealer, 182 * day)
    expect(third.map(({ kid }) => kid)).not.toContain(first?.kid)
    expect(third).toHaveLength(2)
  })

  it('are replaced by only one of two nodes', async () => {
    const both = await Promise.all([
      rotateSigningKeys(database.db, sealer, 400 * day),
      rotateSigningKeys(database.db, sealer, 400 * day),
    ])
    expect(both[0].map(({ kid }) => kid)).toEqual(both[1].map(({ kid }) => kid))
  })
})
