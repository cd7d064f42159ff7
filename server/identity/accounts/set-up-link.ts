import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { hasAccounts } from './account-store.ts'
import { findKey, insertKey } from '../provider/key-store.ts'

const keyName = 'set-up'

/** The name under which the token waits; whoever deletes it has used the link. */
export const setUpKey = keyName

/** The token of the link that makes the first account; null once there is an account. */
export async function requireSetUpToken(db: Db, sealer: Sealer, now: number): Promise<string | null> {
  if (await hasAccounts(db)) return null
  await insertKey(db, keyName, sealer.seal(randomBytes(32).toString('base64url')), now)
  return (await findSetUpToken(db, sealer)) ?? null
}

export async function isSetUpToken(db: Db, sealer: Sealer, token: unknown): Promise<boolean> {
  const expected = await findSetUpToken(db, sealer)
  if (expected === undefined || typeof token !== 'string') return false
  const [known, given] = [Buffer.from(expected), Buffer.from(token)]
  return known.length === given.length && timingSafeEqual(known, given)
}

async function findSetUpToken(db: Db, sealer: Sealer): Promise<string | undefined> {
  const sealed = await findKey(db, keyName)
  return sealed === undefined ? undefined : sealer.open(sealed)
}
