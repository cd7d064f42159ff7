import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { AppError } from '../../lib/app-error.ts'
import { findWeakness, makeSecretHint } from '../../lib/secret.ts'
import { writeFileOnce, readIfExists } from '../../lib/write-file.ts'
import { createDataFolder } from '../data-folder.ts'

/** The name of the file with the key in the data folder. */
export const secretKeyFileName = 'secret.key'
const minKeyChars = 32

/**
 * Returns the installation's secret: the setting, or a key that the first start creates in the data folder, readable by
 * its owner only. Two processes that start at once get the same key.
 * @throws AppError when the file with the key is empty, or the key in it can be guessed
 */
export function requireSecretKey(setting: string | null, dataDir: string): string {
  const known = findSecretKey(setting, dataDir)
  if (known !== undefined) return known
  writeSecretKey(dataDir, randomBytes(32).toString('hex'))
  const created = findSecretKey(null, dataDir)
  if (created === undefined)
    throw new AppError(
      'conflict',
      `${join(dataDir, secretKeyFileName)} is empty. Restore it from a backup, because the stored keys are sealed with it.`,
    )
  return created
}

/** Writes the key into the data folder. An existing file stays as it is. */
export function writeSecretKey(dataDir: string, key: string): void {
  createDataFolder(dataDir)
  writeFileOnce(join(dataDir, secretKeyFileName), key)
}

/**
 * Returns the installation's secret if there is one, without creating it.
 * @throws AppError when the key in the data folder can be guessed
 */
export function findSecretKey(setting: string | null, dataDir: string): string | undefined {
  if (setting !== null) return setting
  const path = join(dataDir, secretKeyFileName)
  const known = readIfExists(path)?.trim() || undefined
  if (known !== undefined) requireStrong(path, known)
  return known
}

/** The file is written by the first start, but an operator may have replaced it. */
function requireStrong(path: string, key: string): void {
  const weakness = findWeakness(key, minKeyChars)
  if (weakness === undefined) return
  throw new AppError(
    'conflict',
    `The key in ${path} ${weakness}. ${makeSecretHint}. docs/operations/backup.md says how to change the key.`,
  )
}
