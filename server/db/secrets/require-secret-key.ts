import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { AppError } from '../../lib/app-error.ts'
import { parseJson } from '../../lib/json-object.ts'
import { findWeakness, makeSecretHint } from '../../lib/secret.ts'
import { writeFileOnce, readIfExists } from '../../lib/write-file.ts'
import { createDataFolder, giveToOwner } from '../data-folder.ts'

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
  const weakness = describeWeakKey(setting, dataDir)
  if (weakness !== undefined) throw new AppError('conflict', weakness)
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

/** Marks a key with blanks at its ends, which a file with a plain key may have by chance. */
const quoted = 'json:'

/** Writes the key into the data folder. An existing file stays as it is. */
export function writeSecretKey(dataDir: string, key: string): void {
  createDataFolder(dataDir)
  const path = join(dataDir, secretKeyFileName)
  const isPlain = key === key.trim() && !key.startsWith(quoted)
  writeFileOnce(path, isPlain ? key : quoted + JSON.stringify(key))
  giveToOwner(path)
}

/** Returns the installation's secret if there is one, without creating it. */
export function findSecretKey(setting: string | null, dataDir: string): string | undefined {
  if (setting !== null) return setting
  const text = readIfExists(join(dataDir, secretKeyFileName))?.trim() ?? ''
  const value = text.startsWith(quoted) ? parseJson(text.slice(quoted.length)) : text
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Returns a sentence when the key in the data folder can be guessed: an operator may have replaced the file, or restored
 * the key of an installation that had such a setting.
 */
export function describeWeakKey(setting: string | null, dataDir: string): string | undefined {
  const key = setting === null ? findSecretKey(null, dataDir) : undefined
  const weakness = key === undefined ? undefined : findWeakness(key, minKeyChars)
  return weakness === undefined
    ? undefined
    : `The key in ${join(dataDir, secretKeyFileName)} ${weakness}. ${makeSecretHint}. docs/operations/backup.md says how to change the key.`
}
