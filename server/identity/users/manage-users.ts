import type { Database, Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { AppError } from '../../lib/app-error.ts'
import { toVisibleLine } from '../../lib/text.ts'
import { createResetToken } from '../accounts/reset-link.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import {
  deleteAccount,
  deleteConsents,
  deleteSharesOfUser,
  disableUserRow,
  enableUserRow,
  listAccounts,
  listUsersOfIssuer,
  setAccountDisabled,
} from './user-admin-store.ts'

/** A user as the operator sees it. */
export interface ManagedUser {
  /** The subject at the provider. It is the id of the account at the built-in one. */
  readonly id: string
  /** Null for an account that has never signed in. */
  readonly userId: string | null
  readonly email: string | null
  readonly name: string | null
  readonly kind: 'local' | 'google' | 'provider'
  readonly status: 'active' | 'disabled' | 'being deleted'
  readonly createdAt: number
  /** Null when the built-in provider knows no sign-in. */
  readonly usedAt: number | null
}

export interface ManageUsersDeps {
  readonly database: Pick<Database, 'db'>
  readonly sealer: Sealer
  readonly issuer: string
  /** True for the built-in provider. */
  readonly embedded: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** All users of this installation, the oldest first. */
export async function listUsers(deps: ManageUsersDeps, db: Db = deps.database.db): Promise<ManagedUser[]> {
  const users = await listUsersOfIssuer(db, deps.issuer)
  const accounts = deps.embedded ? await listAccounts(db, deps.issuer) : []
  const accountIds = new Set(accounts.map(({ id }) => id))
  return [
    ...accounts.map(({ id, user_id, email, name, password_hash, disabled_at, created_at, used_at }) => ({
      id,
      userId: user_id,
      email,
      name,
      kind: password_hash === null ? ('google' as const) : ('local' as const),
      status: disabled_at === null ? ('active' as const) : ('disabled' as const),
      createdAt: created_at,
      usedAt: used_at,
    })),
    ...users
      .filter(({ subject, pending }) => !deps.embedded || (pending === 'delete' && !accountIds.has(subject)))
      .map(({ id, subject, email, name, disabled_at, pending, created_at }) => ({
        id: subject,
        userId: id,
        email,
        name,
        kind: 'provider' as const,
        status:
          pending === 'delete'
            ? ('being deleted' as const)
            : disabled_at === null
              ? ('active' as const)
              : ('disabled' as const),
        createdAt: created_at,
        usedAt: null,
      })),
  ]
}

/** Before an id, so that it is not compared with e-mails. */
const idPrefix = 'id:'

/**
 * Finds a user by e-mail or id. Both come from a hosted provider, where a user may choose an id that is the e-mail of
 * another one.
 * @throws AppError `not_found`, `conflict` when several users have this e-mail or id
 */
async function requireManagedUser(deps: ManageUsersDeps, db: Db, name: string): Promise<ManagedUser> {
  const users = await listUsers(deps, db)
  const email = name.trim().toLowerCase()
  const [first, ...others] = users.filter((user) =>
    name.startsWith(idPrefix)
      ? user.id === name.slice(idPrefix.length)
      : user.id === name || user.email?.toLowerCase() === email,
  )
  if (first === undefined) {
    throw new AppError('not_found', `There is no user "${name}". The command "list" shows all users.`)
  }
  if (others.length > 0) {
    const names = [first, ...others].map(({ id }) => idPrefix + toVisibleLine(id)).join(', ')
    throw new AppError(
      'conflict',
      `Several users have the e-mail or id "${name}". Use one of these instead: ${names}`,
    )
  }
  return first
}

/**
 * Disables a user: ends every sign-in, and stores that a node stops the replies, ends the streams and revokes the tokens
 * from other servers. All data is kept (§15.34, §15.35).
 */
export function disableUser(deps: ManageUsersDeps, name: string): Promise<ManagedUser> {
  return changeUser(deps, name, async (trx, user) => {
    refuseDeleted(user)
    await setAccountDisabled(trx, user.id, deps.now())
    await endUser(trx, deps, user, 'revoke')
    return { ...user, status: 'disabled' }
  })
}

/** Lets a disabled user sign in again (§15.34). */
export function enableUser(deps: ManageUsersDeps, name: string): Promise<ManagedUser> {
  return changeUser(deps, name, async (trx, user) => {
    refuseDeleted(user)
    await setAccountDisabled(trx, user.id, null)
    if (user.userId !== null) await enableUserRow(trx, user.userId)
    return { ...user, status: 'active' }
  })
}

/**
 * Deletes a user: the account and all shared links at once, everything else as soon as a node has stopped the replies and
 * revoked the tokens from other servers (§15.36).
 */
export function deleteUser(deps: ManageUsersDeps, name: string): Promise<ManagedUser> {
  return changeUser(deps, name, async (trx, user) => {
    refuseDeleted(user)
    await endUser(trx, deps, user, 'delete')
    await deleteAccount(trx, user.id)
    if (user.userId !== null) await deleteSharesOfUser(trx, user.userId)
    return { ...user, status: 'being deleted' }
  })
}

/**
 * Creates a link with which a user chooses a new password, and returns its token. The former link of the user is no
 * longer valid (§15.33).
 * @throws AppError `conflict` when the account is disabled or has no password
 */
export async function createReset(
  deps: ManageUsersDeps,
  name: string,
): Promise<{ readonly user: ManagedUser; readonly token: string }> {
  return deps.database.db.transaction().execute(async (trx) => {
    const user = await requireManagedUser(deps, trx, name)
    if (user.kind !== 'local') {
      throw new AppError(
        'conflict',
        `${name} has no password here, because Google or another provider checks it.`,
      )
    }
    if (user.status !== 'active') {
      throw new AppError('conflict', `${name} is disabled. Enable the user first.`)
    }
    return { user, token: await createResetToken(trx, deps.sealer, user.id, deps.now()) }
  })
}

function changeUser(
  deps: ManageUsersDeps,
  name: string,
  change: (trx: Db, user: ManagedUser) => Promise<ManagedUser>,
): Promise<ManagedUser> {
  return deps.database.db
    .transaction()
    .execute(async (trx) => change(trx, await requireManagedUser(deps, trx, name)))
}

function refuseDeleted({ id, status }: ManagedUser): void {
  if (status === 'being deleted') throw new AppError('conflict', `${toVisibleLine(id)} is being deleted.`)
}

async function endUser(
  trx: Db,
  { now }: ManageUsersDeps,
  { id, userId }: ManagedUser,
  pending: 'revoke' | 'delete',
): Promise<void> {
  await endSignIns(trx, id, { now: now() })
  if (userId === null) return
  await disableUserRow(trx, userId, { disabled_at: now(), pending })
  await deleteConsents(trx, userId)
}
