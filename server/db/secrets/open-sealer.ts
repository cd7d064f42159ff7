import { join } from 'node:path'
import { AppError } from '../../lib/app-error.ts'
import type { Db } from '../database.ts'
import { compareSecretKey } from './compare-secret-key.ts'
import { findSecretKey, requireSecretKey, secretKeyFileName } from './require-secret-key.ts'
import { installationKeyContext } from './seal-contexts.ts'
import { createSealer, type Sealer } from './seal-secret.ts'

export interface KeySettings {
  /** The setting `SECRET_KEY`. */
  readonly secretKey: string | null
  readonly dataDir: string
}

/** The row of `keys` that every start stores: an empty text that only the key of this database opens. */
const fingerprint = 'fingerprint'

/**
 * Opens the sealer of a server. A key is created only for a database in which nothing is sealed. The first start binds
 * the database to its key, so that no process uses it with another one.
 * @throws AppError `conflict` when the database was used with another key, or when there is none for it
 */
export async function openSealer(db: Db, { secretKey, dataDir }: KeySettings, now: number): Promise<Sealer> {
  const key = findSecretKey(secretKey, dataDir)
  const fits = await compareSecretKey(db, createSealer(key ?? 'no key'))
  if (fits === 'differs') throw refuseKey(secretKey, dataDir, key === undefined)
  // A weak key that the database was used with, such as a restored one, protects no less than before.
  const sealer = createSealer(
    fits === 'fits' && key !== undefined ? key : requireSecretKey(secretKey, dataDir),
  )
  if (!(await bindSecretKey(db, sealer, now))) throw refuseKey(secretKey, dataDir, false)
  return sealer
}

function refuseKey(secretKey: string | null, dataDir: string, isMissing: boolean): AppError {
  const path = join(dataDir, secretKeyFileName)
  const what = isMissing
    ? `The key of this database is missing: SECRET_KEY is not set, and there is no ${path}`
    : `The key (${secretKey === null ? path : 'SECRET_KEY'}) is not the one with which this database was used`
  return new AppError(
    'conflict',
    `${what}. Use the key of the other servers or of the last start, or if it is lost or was changed on purpose, run "yonder change-key".`,
  )
}

/**
 * Stores the fingerprint of the sealer's key unless there is one.
 * @returns whether the stored one is that of this key; two first starts at once may have different ones
 */
async function bindSecretKey(db: Db, sealer: Sealer, now: number): Promise<boolean> {
  await db
    .insertInto('keys')
    .values({
      name: fingerprint,
      value: sealer.seal('', installationKeyContext(fingerprint)),
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await compareSecretKey(db, sealer)) === 'fits'
}

/**
 * Binds a database to another key. What was sealed with the former one cannot be opened any more: the keys and records
 * of the built-in sign-in are removed, and users have to enter their own keys again.
 */
export async function changeSecretKey(trx: Db, sealer: Sealer, now: number): Promise<void> {
  await trx.deleteFrom('keys').execute()
  await trx.deleteFrom('oidc').execute()
  await bindSecretKey(trx, sealer, now)
}
