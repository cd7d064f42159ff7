import { UpdateQueryNode, type KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyDeps } from '../../db/secrets/ensure-key.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { ensureIdentityKeys, rotateSigningKeys, SigningKeys } from './identity-keys.ts'

const sealer = createSealer('a secret of thirty-two characters or more')
const day = 86_400_000

describe.each(engines)('the keys of the provider on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  afterAll(() => database.close())
  const depsAt = (time: number) => ({ db: database.db, sealer, now: () => time })

  it('are created once when several nodes start together, and stay the same', async () => {
    const all = await Promise.all([0, 1, 2].map((now) => readIdentityKeys(depsAt(now))))
    expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1)
    expect(all[0]?.signing[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' })
  })

  it('cannot be opened with another secret, and the error names the setting', async () => {
    const other = createSealer('another secret of thirty-two characters')
    // An `AppError`, so that the start prints the sentence without the place in the code.
    await expect(ensureIdentityKeys({ ...depsAt(0), sealer: other })).rejects.toMatchObject({
      name: 'AppError',
      message: expect.stringContaining('SECRET_KEY') as unknown,
    })
  })

  it('are created again with another secret once they are deleted, as docs/operations/backup.md says', async () => {
    const other = createSealer('another secret of thirty-two characters')
    const [before] = (await readIdentityKeys(depsAt(0))).signing
    await database.db.deleteFrom('keys').execute()
    await database.db.deleteFrom('oidc').execute()
    const [after] = (await readIdentityKeys({ ...depsAt(0), sealer: other })).signing
    expect(after?.kid).not.toBe(before?.kid)
    await database.db.deleteFrom('keys').execute()
    await ensureIdentityKeys(depsAt(0))
  })

  it('get a new signing key after ninety days, and lose the old one when its tokens have expired', async () => {
    const [first] = (await readIdentityKeys(depsAt(89 * day))).signing
    const second = await rotateSigningKeys(depsAt(91 * day))
    expect(second).toHaveLength(2)
    expect(second[1]?.kid).toBe(first?.kid)
    const third = await rotateSigningKeys(depsAt(182 * day))
    expect(third.map(({ kid }) => kid)).not.toContain(first?.kid)
    expect(third).toHaveLength(2)
  })

  it('keep the key that signed until now, although the server ran for a year without a start', async () => {
    const [newest] = await rotateSigningKeys(depsAt(182 * day))
    const [next, before, ...others] = await rotateSigningKeys(depsAt(600 * day))
    expect(before?.kid).toBe(newest?.kid)
    expect(others).toEqual([])
    // It is deleted once its tokens have expired.
    expect((await rotateSigningKeys(depsAt(700 * day))).map(({ kid }) => kid)).not.toContain(before?.kid)
    expect(next?.kid).not.toBe(before?.kid)
  })

  it('get one new signing key when two nodes rotate them at the same time', async () => {
    const both = await Promise.all([
      rotateSigningKeys(depsAt(1200 * day)),
      rotateSigningKeys(depsAt(1200 * day)),
    ])
    expect(both[0].map(({ kid }) => kid)).toEqual(both[1].map(({ kid }) => kid))
  })

  it('keep the new signing key of a node when another one, which read the old keys, stores its own later', async () => {
    const before = await database.db
      .selectFrom('keys')
      .select('value')
      .where('name', '=', 'signing')
      .execute()
    const first = await rotateSigningKeys(depsAt(1300 * day))
    const db = database.db.withPlugin(readingUntilUpdate(before))
    const second = await rotateSigningKeys({ ...depsAt(1300 * day), db })
    expect(first[0]?.iat).toBe(1300 * day)
    expect(second).toEqual(first)
    expect(await rotateSigningKeys(depsAt(1300 * day))).toEqual(first)
  })

  describe('while the server runs', () => {
    let time = 1400 * day
    const now = () => time
    const findKey = async (keys: SigningKeys, kid: string | undefined) =>
      keys.findPublicKey({ alg: 'RS256', kid: kid ?? '' }, { payload: '', signature: '' })
    const addKey = async () => (await rotateSigningKeys({ db: database.db, sealer, now }, 0))[0]?.kid
    const noKey = 'no applicable key found'

    it('are the same array until another node changes them', async () => {
      const keys = new SigningKeys({ db: database.db, sealer, now })
      const before = await keys.read()
      expect(await keys.read()).toBe(before)
      const kid = await addKey()
      const after = await keys.read()
      expect(after[0]?.kid).toBe(kid)
      expect(await keys.read()).toBe(after)
    })

    it('are read with one query, because each request to the provider reads them', async () => {
      let queries = 0
      const db = database.db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          queries += 1
          return result
        },
      })
      await new SigningKeys({ db, sealer, now }).read()
      expect(queries).toBe(1)
    })

    it('are read again for unknown key ids, at most once a second', async () => {
      const keys = new SigningKeys({ db: database.db, sealer, now })
      const [before] = await keys.read()
      const first = await addKey()
      const found = await Promise.all([first, first, before?.kid].map((kid) => findKey(keys, kid)))
      expect(found[0]).toBe(found[1])
      expect(found[0]).not.toBe(found[2])

      const second = await addKey()
      time += 999
      await expect(findKey(keys, second)).rejects.toThrow(noKey)
      time += 1
      expect(await findKey(keys, second)).toHaveProperty('type', 'public')
    })

    it('are read again for the next token after a failure of the database', async () => {
      let isAway = false
      const db = database.db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (isAway) throw new Error('the database is away')
          return result
        },
      })
      const keys = new SigningKeys({ db, sealer, now })
      await keys.read()
      const kid = await addKey()
      isAway = true
      await expect(findKey(keys, kid)).rejects.toThrow('the database is away')
      await expect(findKey(keys, kid)).rejects.toThrow('the database is away')
      isAway = false
      expect(await findKey(keys, kid)).toHaveProperty('type', 'public')
    })
  })
})

async function readIdentityKeys(deps: KeyDeps) {
  const keys = await ensureIdentityKeys(deps)
  return { ...keys, signing: await keys.signing.read() }
}

/** Lets every read return `rows` until the first update, as if all reads had been executed earlier. */
function readingUntilUpdate(rows: Record<string, unknown>[]): KyselyPlugin {
  let hasUpdated = false
  return {
    transformQuery({ node }) {
      hasUpdated ||= UpdateQueryNode.is(node)
      return node
    },
    transformResult: async ({ result }) => (hasUpdated ? result : { ...result, rows }),
  }
}
