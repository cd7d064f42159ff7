import { AppError } from '../../lib/app-error.ts'
import type { Db } from '../database.ts'
import { findKey, insertKey } from './key-store.ts'
import { installationKeyContext } from './seal-contexts.ts'
import type { Sealer } from './seal-secret.ts'

export interface KeyDeps {
  readonly db: Db
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Returns the key of this installation with this name, decrypted and as it is stored. Generates and stores it when there
 * is none, so that all nodes have the same one.
 * @throws AppError when it was encrypted with another SECRET_KEY
 */
export async function ensureSealedKey(
  { db, sealer, now }: KeyDeps,
  name: string,
  generate: () => string | Promise<string>,
): Promise<{ readonly value: string; readonly sealed: string }> {
  let sealed = await findKey(db, name)
  if (sealed === undefined) {
    await insertKey(db, name, sealer.seal(await generate(), installationKeyContext(name)), now())
    // Another node may have stored its own first.
    sealed = await findKey(db, name)
  }
  if (sealed === undefined) throw new Error(`The key "${name}" could not be stored.`)
  try {
    return { value: sealer.open(sealed, installationKeyContext(name)), sealed }
  } catch (cause) {
    throw new AppError(
      'internal',
      'The stored keys were encrypted with another secret. Start with the SECRET_KEY (or the secret.key in DATA_DIR) that belongs to this database.',
      { cause },
    )
  }
}
