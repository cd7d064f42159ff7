import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import type { Database, Db } from '../../db/database.ts'
import type { AccountRow } from '../../db/tables/tables.ts'
import { newId } from '../../lib/new-id.ts'
import { normalizeText } from '../../lib/text.ts'
import { insertAccount } from './account-store.ts'
import type { PasswordHasher } from './hash-password.ts'
import { endSetUp } from './set-up-token.ts'

/** Which users may create an account. */
export type SignUpPolicy = ReturnType<typeof readSignUpPolicy>

/** For users who may not sign up with Google. Says why, because Google has confirmed that the address is theirs. */
export const emailNotAllowed =
  'This e-mail address is not allowed on this server. Ask its operator to allow it.'

/**
 * Shown on a closed installation for addresses that are not listed and for those that have an account, so that the
 * response does not show which are which.
 */
export const noNewAccount =
  'No account can be created with this e-mail address. If you have an account, sign in. Otherwise ask the operator of this server to allow the address.'

/** Everyone may sign up, or only the users on the operator's list of e-mail addresses. */
export function readSignUpPolicy({ signUp, allowedEmails }: Pick<Config, 'signUp' | 'allowedEmails'>) {
  const allowed = new Set(allowedEmails.map(normalizeEmail))
  const isAllowed = (email: string | null) => email !== null && allowed.has(email)
  return {
    /** False when accounts are created only with the links of the operator. */
    isOffered: signUp === 'open' || allowed.size > 0,
    /** Whether everyone may. */
    isOpen: signUp === 'open',
    /** Whether this address may sign up. Compared in normalized form, for local and Google accounts alike. */
    maySignUp: (email: string) => signUp === 'open' || isAllowed(normalizeEmail(email)),
  }
}

export const minPasswordChars = 8
export const maxPasswordChars = 1_000

/** Normalizes an e-mail, because case, outer spaces and Unicode composition do not distinguish accounts. */
const Email = z
  .string()
  .transform((email) => normalizeText(email).normalize('NFC').trim().toLowerCase())
  .pipe(z.email('Enter a valid e-mail address.').max(254, 'This e-mail address is too long.'))

/** Returns null for text that is not an e-mail. */
export function normalizeEmail(text: string): string | null {
  return Email.safeParse(text).data ?? null
}

/** A password that a user chooses. */
const NewPassword = z
  .string()
  .min(minPasswordChars, `The password needs at least ${minPasswordChars} characters.`)
  .max(maxPasswordChars, 'The password may have at most 1,000 characters.')

/** Why a user may not choose this password. Null when it is accepted. */
export function findPasswordProblem(password: string): string | null {
  const parsed = NewPassword.safeParse(password)
  return parsed.success ? null : (parsed.error.issues[0]?.message ?? 'Choose another password.')
}

const NewAccount = z.object({
  name: z
    .string()
    .transform((name) => normalizeText(name).normalize('NFC').trim())
    .pipe(z.string().min(1, 'Enter your name.').max(100, 'The name may have at most 100 characters.')),
  email: Email,
  password: NewPassword,
})

export type NewAccountResult =
  | { readonly account: Pick<AccountRow, 'id' | 'password_hash'>; readonly error?: never }
  | { readonly error: string; readonly account?: never }

export interface NewAccountDeps {
  readonly database: Pick<Database, 'db' | 'dialect'>
  readonly now: () => number
  readonly passwords: PasswordHasher
  /** Called in the transaction that stores the account. Returns an error message when it must not be stored. */
  readonly findRefusal: (trx: Db, email: string) => Promise<string | null>
}

/** How the ids of local accounts begin. Those of Google begin with `googleConnection`. */
export const localIdPrefix = 'local|'

/** Stores a local account. Returns it, or an error message for the user. */
export async function createAccount(
  { database: { db, dialect }, now, passwords, findRefusal }: NewAccountDeps,
  fields: Readonly<Record<string, string>>,
): Promise<NewAccountResult> {
  const parsed = NewAccount.safeParse({ name: '', email: '', password: '', ...fields })
  if (!parsed.success) return { error: parsed.error.issues[0]?.message ?? 'Fill in every field.' }
  const { name, email, password } = parsed.data
  // Before the transaction, which must be short.
  const account = { id: localIdPrefix + newId(), password_hash: await passwords.hash(password) }
  try {
    return await db.transaction().execute(async (trx) => {
      const error = await findRefusal(trx, email)
      if (error !== null) return { error }
      await insertAccount(trx, { ...account, email, name, picture: null, created_at: now() })
      await endSetUp(trx)
      return { account }
    })
  } catch (error) {
    if (!dialect.isUniqueViolation(error)) throw error
    return { error: 'An account with this e-mail address already exists. Sign in instead.' }
  }
}
