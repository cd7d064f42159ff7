import { AppError } from '../../lib/app-error.ts'
import { migrations } from '../migrate.ts'

/** Creates the error for a backup, a restore or a move that is refused. The operator reads the reason. */
export const refusal = (reason: string, cause?: unknown): AppError =>
  new AppError('conflict', reason, { cause })

/**
 * Protects a database that is about to be replaced. `applied` is the number of its migrations.
 * @throws AppError when it is of a newer version
 */
export function refuseNewer(applied: number): void {
  if (applied <= migrations.length) return
  throw refusal(
    `The database is from a newer version of Yonder (migration ${applied}; this version has ${migrations.length}), so it is not replaced. Use an empty database or another data folder.`,
  )
}
