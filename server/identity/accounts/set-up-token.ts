import type { Db } from '../../db/database.ts'
import { deleteKey, findKey, insertKey } from '../../db/secrets/key-store.ts'
import { installationKeyContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { isSameSecret, randomSecret } from '../../lib/secret.ts'
import { hasAccountOrUser } from './account-store.ts'

/** The name under which the token of the set-up link is stored. The link is valid until the token is deleted. */
const keyName = 'set-up'

/**
 * Returns the token of the link that creates the first account. The first node creates the token. Null when there is an
 * account or a user.
 */
export async function ensureSetUpToken(db: Db, sealer: Sealer, now: number): Promise<string | null> {
  if (await hasAccountOrUser(db)) {
    await endSetUp(db)
    return null
  }
  const token = randomSecret()
  await insertKey(db, keyName, sealer.seal(token, installationKeyContext(keyName)), now)
  return (await findSetUpToken(db, sealer)) ?? null
}

export async function isSetUpToken(db: Db, sealer: Sealer, token: unknown): Promise<boolean> {
  const expected = await findSetUpToken(db, sealer)
  return expected !== undefined && isSameSecret(token, expected) && !(await hasAccountOrUser(db))
}

/**
 * Returns a check whether the link is still needed: there was a token at the start, and there is no account or user
 * yet. Once the check has found one, it no longer reads the database.
 */
export function createSetUpCheck(db: Db, hasToken: boolean): () => Promise<boolean> {
  let isNeeded = hasToken
  return async () => {
    isNeeded = isNeeded && !(await hasAccountOrUser(db))
    return isNeeded
  }
}

/**
 * Makes the link invalid. Must be called in every transaction that stores an account, or a user who signs in, so that
 * the link cannot create another account, not even at the same time. Returns true when this call deleted the token.
 */
export function endSetUp(trx: Db): Promise<boolean> {
  return deleteKey(trx, keyName)
}

async function findSetUpToken(db: Db, sealer: Sealer): Promise<string | undefined> {
  const sealed = await findKey(db, keyName)
  return sealed === undefined ? undefined : sealer.open(sealed, installationKeyContext(keyName))
}
