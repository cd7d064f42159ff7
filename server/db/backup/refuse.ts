import { AppError } from '../../lib/app-error.ts'
import { migrations } from '../migrate.ts'

/** The error that tells the operator why a backup or a restore was refused. */
export const refuse = (reason: string, cause?: unknown): AppError =>
  new AppError('conflict', reason, { cause })

/**
 * Protects a database that is about to be replaced (§32.4). `applied` is the number of its migrations.
 * @throws AppError when it is of a newer version
 */
export function refuseNewer(applied: number): void {
  if (applied <= migrations.length) return
  throw refuse(
    `The database is from a newer version of Yonder (migration ${applied}; this version has ${migrations.length}), so it is not replaced. Restore to an empty database or to another data folder.`,
  )
}
