import type { Database } from '../../db/database.ts'
import type { AccountRow } from '../../db/tables/tables.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import { updatePassword } from './account-store.ts'
import { maxPasswordChars, NewPassword } from './create-account.ts'
import type { PasswordHasher } from './hash-password.ts'

export interface ChangeDeps {
  readonly database: Pick<Database, 'db'>
  readonly now: () => number
  readonly passwords: PasswordHasher
}

/** The grants of the ended sign-ins, or an error message for the user. */
export type PasswordChange =
  | { readonly ended: readonly string[]; readonly error?: never }
  | { readonly error: string; readonly status: number; readonly ended?: never }

/** Why a user may not choose this password. Null when it is accepted. */
export function findPasswordProblem(password: string): string | null {
  const parsed = NewPassword.safeParse(password)
  return parsed.success ? null : (parsed.error.issues[0]?.message ?? 'Choose another password.')
}

/** Whether this is the password of an account that has one. */
export async function isCurrentPassword(
  passwords: PasswordHasher,
  { password_hash }: Pick<AccountRow, 'password_hash'>,
  password: string,
): Promise<boolean> {
  return passwords.isPassword(password.slice(0, maxPasswordChars), password_hash)
}

/**
 * Replaces the password of an account, whose current one the caller has checked, and ends all its sign-ins except
 * `keep`, in one transaction.
 */
export async function changePassword(
  { database: { db }, now, passwords }: ChangeDeps,
  { id, password_hash }: Pick<AccountRow, 'id' | 'password_hash'>,
  { password, keep }: { readonly password: string; readonly keep: string },
): Promise<PasswordChange> {
  const hash = await passwords.hash(password)
  return db.transaction().execute(async (trx) => {
    if (password_hash === null || !(await updatePassword(trx, id, password_hash, hash))) {
      return {
        error: 'The account has changed meanwhile. The password was not changed. Reload this page.',
        status: 409,
      }
    }
    return { ended: await endSignIns(trx, id, { now: now(), keep }) }
  })
}
