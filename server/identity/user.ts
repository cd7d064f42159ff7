import type { UserRow } from '../db/tables/tables.ts'
import { normalizeText } from '../lib/text.ts'

/** A user. Issuer and subject identify the account, never the e-mail. */
export type User = Readonly<Pick<UserRow, 'id' | 'issuer' | 'subject' | 'name' | 'email' | 'picture'>>

/** What the identity provider returns about a user. */
export type Profile = Pick<User, 'name' | 'email' | 'picture'>

const maxFieldChars = 2_000

/** The fields of a profile that the claims of a token contain. Missing fields are omitted. */
export function readProfile(claims: Readonly<Record<string, unknown>>): Partial<Profile> {
  const fields: [keyof Profile, string | undefined][] = [
    ['name', readText(claims['name'])],
    ['email', readText(claims['email'])],
    ['picture', readText(claims['picture'])],
  ]
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? normalizeText(value.slice(0, maxFieldChars)) : undefined
}
