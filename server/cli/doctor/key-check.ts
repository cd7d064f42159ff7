import { statSync } from 'node:fs'
import { join } from 'node:path'
import { compareSecretKey } from '../../db/secrets/compare-secret-key.ts'
import { describeWeakKey, findSecretKey, secretKeyFileName } from '../../db/secrets/require-secret-key.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { messageOf, type Check } from './finding.ts'
import { reportForeignAccess } from './folder-check.ts'

/** The key of the stored secrets: that it is there, cannot be guessed or read by others, and fits the database. */
export const keyCheck: Check = {
  name: 'key',
  settings: ['SECRET_KEY'],
  async run(context, report) {
    const { config, database } = context
    const path = join(config.dataDir, secretKeyFileName)
    let key: string | undefined
    try {
      key = findSecretKey(config.secretKey, config.dataDir)
    } catch (error) {
      report.problem(messageOf(error))
      return undefined
    }
    if (key === undefined) {
      if (database === null)
        report.warning(
          `There is no key at ${path}. The first start creates it. If there is data already, restore its key first.`,
        )
      else
        report.problem(
          `The key is missing: there is none in ${path}, and SECRET_KEY is not set. Restore it from a backup before the next start, because a new key cannot decrypt what is stored.`,
        )
      return undefined
    }
    const weakness = describeWeakKey(config.secretKey, config.dataDir)
    if (weakness !== undefined) report.problem(weakness)
    if (config.secretKey === null) reportForeignAccess(path, statSync(path).mode, '600', report)
    if (database === null) {
      report.warning(
        'Whether the key belongs to the database was not checked, because no database can be used.',
      )
      return undefined
    }
    const place = config.secretKey === null ? path : 'SECRET_KEY'
    const sealer = createSealer(key)
    const fits = await compareSecretKey(database.db, sealer)
    if (fits === 'differs')
      report.problem(
        `The key (${place}) does not belong to this database. Servers refuse to start. Use the key with which the data was stored. If it is lost or was changed on purpose, run "yonder change-key".`,
      )
    else context.sealer = sealer
    return `The key (${place}) belongs to the database.`
  },
}
