import { AppError } from '../lib/app-error.ts'
import type { Dialect } from './database.ts'

/**
 * Runs a write that sets a name, which the database keeps unique, also for concurrent requests.
 * @throws AppError `name_taken` with this message when the name is taken
 */
export async function refuseTakenName<Result>(
  dialect: Dialect,
  message: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!dialect.isUniqueViolation(error)) throw error
    throw new AppError('name_taken', message, { cause: error })
  }
}
