import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import type { Database, Db } from '../../db/database.ts'
import { newId } from '../../lib/new-id.ts'
import { normalizeText } from '../../lib/text.ts'
import { insertAccount } from './account-store.ts'
import { hashPassword } from './hash-password.ts'

/** Who may make a local account. */
export interface SignUpPolicy {
  /** Whether the page offers it at all. */
  readonly offered: boolean
  maySignUp(email: string): boolean
}

/** Shown to users who may not create an account. */
export const emailNotAllowed =
  'This e-mail address may not create an account here. Ask the administrator of this installation.'

/** Open to everyone, or closed to all but the operator's list of e-mail addresses (§15.4). */
export function readSignUpPolicy({
  signUp,
  allowedEmails,
}: Pick<Config, 'signUp' | 'allowedEmails'>): SignUpPolicy {
  const allowed = new Set(allowedEmails)
  return {
    offered: signUp === 'open' || allowed.size > 0,
    maySignUp: (email) => signUp === 'open' || allowed.has(email),
  }
}

export const minPasswordChars = 8
export const maxPasswordChars = 1_000

/** Normalizes an e-mail: case, outer spaces and Unicode composition do not make a different account. */
export const Email = z
  .string()
  .transform((email) => normalizeText(email).normalize('NFC').trim().toLowerCase())
  .pipe(z.email('Enter a valid e-mail address.').max(254, 'This e-mail address is too long.'))

const NewAccount = z.object({
  name: z
    .string()
    .transform((name) => normalizeText(name).normalize('NFC').trim())
    .pipe(z.string().min(1, 'Enter your name.').max(100, 'This name is too long.')),
  email: Email,
  password: z
    .string()
    .min(minPasswordChars, `The password needs at least ${minPasswordChars} characters.`)
    .max(maxPasswordChars, 'This password is too long.'),
})

export type NewAccountResult =
  | { readonly accountId: string; readonly error?: never }
  | { readonly error: string; readonly accountId?: never }

export interface NewAccountRules {
  readonly database: Pick<Database, 'db' | 'dialect'>
  readonly now: number
  /** Called in the transaction that stores the account. Returns null, or why it must not be stored. */
  readonly refuse: (trx: Db, email: string) => Promise<string | null>
}

/** Stores a local account, or returns a message with the reason. */
export async function createAccount(
  fields: Readonly<Record<string, string>>,
  { database: { db, dialect }, now, refuse }: NewAccountRules,
): Promise<NewAccountResult> {
  const parsed = NewAccount.safeParse({ name: '', email: '', password: '', ...fields })
  if (!parsed.success) return { error: parsed.error.issues[0]?.message ?? 'Fill in every field.' }
  const { name, email, password } = parsed.data
  const accountId = `local|${newId()}`
  // Outside the transaction: it takes longer than everything in it.
  const password_hash = await hashPassword(password)
  try {
    return await db.transaction().execute(async (trx) => {
      const error = await refuse(trx, email)
      if (error !== null) return { error }
      await insertAccount(trx, {
        id: accountId,
        email,
        name,
        picture: null,
        password_hash,
        created_at: now,
      })
      return { accountId }
    })
  } catch (error) {
    if (!dialect.isUniqueViolation(error)) throw error
    return { error: 'An account with this e-mail address already exists. Sign in instead.' }
  }
}
