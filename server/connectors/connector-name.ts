import { AppError } from '../lib/app-error.ts'

/** The name of the connector that every user has, with a clock and a calculator. */
export const defaultConnectorName = 'default'

/**
 * Refuses the name of the connector that every user has. The names of integrations' connectors are free: such a
 * connector is renamed when the user already has one with its name.
 * @throws AppError `name_taken`
 */
export function requireUnreserved(name: string): void {
  if (name.toLowerCase() !== defaultConnectorName) return
  throw new AppError('name_taken', `The name "${name}" is reserved for a default connector.`)
}

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
