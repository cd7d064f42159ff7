import type { Dialect } from '../db/database.ts'
import { AppError } from '../lib/app-error.ts'

/** The name of the connector that every user has, with a clock and a calculator. */
export const defaultConnectorName = 'default'

export interface NameRules {
  readonly dialect: Pick<Dialect, 'isUniqueViolation'>
  /** Names that the user's connectors cannot have, in lower case. */
  readonly reservedNames: ReadonlySet<string>
}

/** Attempts of a write, because another write at the same time may choose the same slug. */
const maxAttempts = 3

/**
 * Runs a write that sets a connector's name. A unique index decides whether the name is free, even in a race.
 * @throws AppError `name_taken`, `conflict` when other writes have taken the slug at each attempt
 */
export async function writeWithName<Result>(
  { dialect, reservedNames }: NameRules,
  name: string,
  write: () => Promise<Result>,
): Promise<Result> {
  if (reservedNames.has(name.toLowerCase())) {
    throw new AppError('name_taken', `The name "${name}" is reserved for a default connector.`)
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (!dialect.isUniqueViolation(error)) throw error
      if (!isSlugViolation(error)) {
        throw new AppError('name_taken', `You already have a connector named "${name}".`, { cause: error })
      }
      if (attempt < maxAttempts) continue
      throw new AppError(
        'conflict',
        `The connector "${name}" was not saved, because others were added at the same time. Try again.`,
        { cause: error },
      )
    }
  }
}

/** Whether the violated unique index is that of slugs. PostgreSQL reports the constraint, SQLite the columns. */
function isSlugViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const constraint = 'constraint' in error ? String(error.constraint) : error.message
  return constraint.includes('slug')
}

/**
 * The names of the connectors that every user has. The names of integrations' connectors are not reserved: such a
 * connector is renamed when the user already has one with its name.
 */
export const reservedNames: ReadonlySet<string> = new Set([defaultConnectorName])

/** Characters of a slug; the remaining characters of the name that a model sees are for the tool's own name. */
const maxSlugChars = 16

/**
 * Returns a slug for a connector: the prefix of its tools in the names that models use. It is short, consists of
 * characters that every provider accepts, and is not in `usedSlugs`.
 */
export function slugName(name: string, usedSlugs: ReadonlySet<string>): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
  const whole = /^[a-z]/.test(letters) ? letters : `c_${letters}`
  const first = whole.slice(0, maxSlugChars).replace(/_$/, '')
  for (let count = 2, slug = first; ; count++) {
    if (!usedSlugs.has(slug)) return slug
    slug = `${first.slice(0, maxSlugChars - String(count).length - 1)}_${count}`
  }
}
