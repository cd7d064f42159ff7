import { statSync } from 'node:fs'
import { join } from 'node:path'
import { compareSecretKey } from '../../db/secrets/compare-secret-key.ts'
import { findSecretKey, secretKeyFileName } from '../../db/secrets/require-secret-key.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { reportUnchecked, messageOf, ok, problem, warning, type Check } from './finding.ts'
import { findForeignAccess } from './folder-check.ts'

/** The key of the stored secrets: that it is there, cannot be guessed or read by others, and fits the database. */
export const keyCheck: Check = {
  name: 'key',
  async run(context) {
    const { config, database } = context
    const unchecked = reportUnchecked(context, ['SECRET_KEY'])
    if (unchecked.length > 0) return unchecked
    const path = join(config.dataDir, secretKeyFileName)
    let key: string | undefined
    try {
      key = findSecretKey(config.secretKey, config.dataDir)
    } catch (error) {
      return [problem(messageOf(error))]
    }
    const mode = config.secretKey === null ? (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) : 0
    const findings = findForeignAccess(path, mode, '600')
    const place = config.secretKey === null ? path : 'SECRET_KEY'
    if (key === undefined) {
      return database === null
        ? [
            warning(
              `There is no key at ${path}. The first start creates it. If there is data already, restore its key first.`,
            ),
          ]
        : [
            problem(
              `The key is missing: there is none in ${path}, and SECRET_KEY is not set. Restore it from a backup before the next start, because a new key cannot decrypt what is stored.`,
            ),
          ]
    }
    if (database === null)
      return [
        ...findings,
        warning('Whether the key belongs to the database was not checked, because no database can be used.'),
      ]
    const sealer = createSealer(key)
    const fits = await compareSecretKey(database.db, sealer)
    if (fits === 'differs') {
      return [
        ...findings,
        problem(
          `The key (${place}) does not belong to this database. Use the key with which the data was stored, or change the key as docs/operations/backup.md describes.`,
        ),
      ]
    }
    context.sealer = sealer
    if (fits === 'perhaps differs') {
      return [
        ...findings,
        warning(
          `The key (${place}) decrypts none of the stored keys of bots and services. Unless you changed it on purpose, use the key with which they were stored.`,
        ),
      ]
    }
    return findings.length > 0 ? findings : [ok(`The key (${place}) belongs to the database.`)]
  },
}
