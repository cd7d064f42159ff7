import type { Dialect } from '../db/database.ts'
import { AppError } from '../lib/app-error.ts'

/** The name of the built-in connector. */
export const defaultConnectorName = 'default'

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

/**
 * The names of default connectors are theirs.
 * @throws AppError `name_taken`
 */
export function requireFreeName(name: string, reserved: ReadonlySet<string>): void {
  if (reserved.has(name.toLowerCase())) {
    throw new AppError('name_taken', `The name "${name}" is reserved for a default connector.`)
  }
}

/**
 * The names of default connectors that everybody has, in lower case; the built-in one's is reserved for ever. One that comes
 * with an integration gives way to what its person has.
 */
export function reservedNames(
  builtIns: readonly { readonly name: string; readonly integration?: string }[],
): ReadonlySet<string> {
  const forAll = builtIns.filter(({ integration }) => integration === undefined)
  return new Set([defaultConnectorName, ...forAll.map(({ name }) => name.toLowerCase())])
}

/** Characters of a slug; what is left of a tool's name for models is the tool's own. */
const longest = 16

/**
 * The beginning of the names under which models know a connector's tools: short, of letters that every provider takes,
 * and none of those that are `taken`.
 */
export function slugName(name: string, taken: ReadonlySet<string>): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  const whole = /^[a-z]/.test(letters) ? letters : `c_${letters}`
  const first = whole.slice(0, longest).replace(/_+$/, '')
  for (let count = 2, slug = first; ; count++) {
    if (!taken.has(slug)) return slug
    slug = `${first.slice(0, longest - String(count).length - 1)}_${count}`
  }
}
