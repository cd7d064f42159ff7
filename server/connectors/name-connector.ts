import type { Dialect } from '../db/database.ts'
import { AppError } from '../lib/app-error.ts'
import { requireFreeName } from './connector-policy.ts'

export interface NameRules {
  readonly dialect: Pick<Dialect, 'isUniqueViolation'>
  /** Names that default connectors have, in lower case. */
  readonly reservedNames: ReadonlySet<string>
}

/** Attempts at a write: two that are made at once may have chosen the same slug. */
const attempts = 3

/**
 * Runs a write that gives a connector its name; the database decides whether the name is free, so a race is decided too.
 * @throws AppError `name_taken`
 */
export async function nameConnector<Result>(
  { dialect, reservedNames }: NameRules,
  name: string,
  write: () => Promise<Result>,
): Promise<Result> {
  requireFreeName(name, reservedNames)
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (!dialect.isUniqueViolation(error)) throw error
      if (attempt < attempts && isAboutSlug(error)) continue
      throw new AppError('name_taken', `You already have a connector named "${name}".`, { cause: error })
    }
  }
}

/** Both engines name what was violated: PostgreSQL the constraint, SQLite the columns. */
function isAboutSlug(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const constraint = 'constraint' in error ? String(error.constraint) : error.message
  return constraint.includes('slug')
}
