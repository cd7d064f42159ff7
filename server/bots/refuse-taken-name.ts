import type { Dialect } from '../db/database.ts'
import { AppError } from '../lib/app-error.ts'

/**
 * Runs a write whose only unique column besides the id is the bot's name; the database decides, so a race is decided too.
 * @throws AppError `name_taken`
 */
export async function refuseTakenName<Result>(
  dialect: Dialect,
  name: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!dialect.isUniqueViolation(error)) throw error
    throw new AppError('name_taken', `You already have a bot named "${name}".`, { cause: error })
  }
}
