import { normalizeText } from '../../lib/text.ts'
import type { Profile } from '../user.ts'

const maxFieldChars = 2_000

/** The fields of a profile that the claims contain. Missing ones are left out. */
export function readProfile(claims: Readonly<Record<string, unknown>>): Partial<Profile> {
  const fields: [keyof Profile, string | undefined][] = [
    ['name', readText(claims['name']) ?? readText(claims['preferred_username'])],
    ['email', readText(claims['email'])],
    ['picture', readText(claims['picture'])],
  ]
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? normalizeText(value).slice(0, maxFieldChars) : undefined
}
