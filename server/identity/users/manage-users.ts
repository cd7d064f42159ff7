import type { Config } from '../../config/config.ts'
import type { Database, Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { AppError } from '../../lib/app-error.ts'
import { toVisibleLine } from '../../lib/text.ts'
import { localIdPrefix, normalizeEmail } from '../accounts/create-account.ts'
import { createLink, invitations, resetLinks, type OperatorLink } from '../accounts/operator-links.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import {
  deleteAccount,
  deletePendingConsents,
  deleteSharesOfUser,
  disableUserRow,
  enableUserRow,
  listAccounts,
  listUsersOfIssuer,
  lockManagedUser,
  setAccountDisabled,
} from './managed-user-store.ts'
import { readOwnIssuer } from './user-store.ts'
import { deleteWithdrawn } from './withdrawn-store.ts'

/** A user as the operator sees it. */
export interface ManagedUser {
  /** The subject at the provider. With the embedded provider, it is the id of the account. */
  readonly id: string
  /** Null for an account that has never signed in. */
  readonly userId: string | null
  readonly email: string | null
  readonly name: string | null
  readonly kind: 'local' | 'google' | 'provider'
  readonly status: 'active' | 'disabled' | 'being deleted'
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970, to the hour. Null when the user has sent no request yet. */
  readonly usedAt: number | null
}

export interface ManageUsersDeps {
  readonly database: Pick<Database, 'db'>
  readonly sealer: Sealer
  /** The address of the provider. */
  readonly issuer: string
  /** True for the embedded provider. */
  readonly embedded: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The address of the configured provider. */
export function readIssuer({
  oidc,
  publicUrl,
}: Pick<Config, 'oidc' | 'publicUrl'>): Pick<ManageUsersDeps, 'issuer' | 'embedded'> {
  return { issuer: oidc?.issuer ?? `${publicUrl}/oidc`, embedded: oidc === null }
}

/**
 * All users of the configured provider, the oldest first. With the embedded one: all accounts, then the users that are
 * being deleted, each group with the oldest first.
 */
export async function listUsers(deps: ManageUsersDeps, db: Db = deps.database.db): Promise<ManagedUser[]> {
  const issuer = deps.embedded ? await readOwnIssuer(db) : deps.issuer
  const users = await listUsersOfIssuer(db, issuer)
  const accounts = deps.embedded ? await listAccounts(db, issuer) : []
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
      .map(({ id, subject, email, name, disabled_at, pending, created_at, used_at }) => ({
        id: subject,
        userId: id,
        email,
        name,
        kind: deps.embedded ? kindOfDeleted(subject) : ('provider' as const),
        status:
          pending === 'delete'
            ? ('being deleted' as const)
            : disabled_at === null
              ? ('active' as const)
              : ('disabled' as const),
        createdAt: created_at,
        usedAt: used_at,
      })),
  ]
}

/** The kind of an embedded account whose row is deleted. Only the ids of local accounts begin with `localIdPrefix`. */
function kindOfDeleted(id: string): ManagedUser['kind'] {
  return id.startsWith(localIdPrefix) ? 'local' : 'google'
}

/** Marks a name as an id, so that it is not compared with e-mails. */
const idPrefix = 'id:'

/**
 * Finds a user by e-mail or id, or by an id after `id:`. With a hosted provider, a user may be able to choose an id
 * that is the e-mail of another one.
 * @throws AppError `not_found`, `conflict` when several users have this e-mail or id
 */
export async function requireManagedUser(
  deps: ManageUsersDeps,
  name: string,
  db: Db = deps.database.db,
): Promise<ManagedUser> {
  const users = await listUsers(deps, db)
  const email = name.trim().toLowerCase()
  const [first, ...others] = users.filter((user) =>
    name.startsWith(idPrefix)
      ? user.id === name.slice(idPrefix.length)
      : user.id === name || user.email?.toLowerCase() === email,
  )
  if (first === undefined) {
    throw new AppError(
      'not_found',
      `There is no user "${toVisibleLine(name)}". The command "yonder users list" shows all users.`,
    )
  }
  if (others.length > 0) {
    const names = [first, ...others].map(({ id }) => idPrefix + toVisibleLine(id)).join(', ')
    throw new AppError(
      'conflict',
      `Several users have the e-mail or id "${toVisibleLine(name)}". Use one of these instead: ${names}`,
    )
  }
  return first
}

/**
 * Disables a user, whose access tokens are refused from now on, and deletes pending consents. The nodes then stop the
 * replies, end the streams and revoke the tokens from other servers. All other data is kept.
 */
export function disableUser(deps: ManageUsersDeps, name: string): Promise<ManagedUser> {
  return changeUser(deps, name, async (trx, user) => {
    refuseDeleted(user)
    await setAccountDisabled(trx, user.id, deps.now())
    await endAccess(trx, deps, user, 'revoke')
    return { ...user, status: 'disabled' }
  })
}

/** Lets a disabled user sign in again. */
export function enableUser(deps: ManageUsersDeps, name: string): Promise<ManagedUser> {
  return changeUser(deps, name, async (trx, user) => {
    refuseDeleted(user)
    await setAccountDisabled(trx, user.id, null)
    if (user.userId !== null) await enableUserRow(trx, user.userId)
    return { ...user, status: 'active' }
  })
}

/**
 * Deletes a user: the account, its sign-ins and all shared links at once, everything else as soon as the nodes have
 * stopped the replies and tried to revoke the tokens from other servers.
 */
export function deleteUser(deps: ManageUsersDeps, name: string): Promise<ManagedUser> {
  return changeUser(deps, name, async (trx, user) => {
    refuseDeleted(user)
    await beginDeletion(trx, deps, user)
    await deleteWithdrawn(trx, { issuer: deps.issuer, subject: user.id })
    return { ...user, status: 'being deleted' }
  })
}

/**
 * Deletes the account, the sign-ins and the shared links of a user whose rows are locked, and stores the rest of the
 * work for a node. Returns the ids of the ended sign-ins.
 */
export async function beginDeletion(
  trx: Db,
  deps: Pick<ManageUsersDeps, 'now'>,
  user: Pick<ManagedUser, 'id' | 'userId'>,
): Promise<readonly string[]> {
  const ended = await endAccess(trx, deps, user, 'delete')
  await deleteAccount(trx, user.id)
  if (user.userId !== null) await deleteSharesOfUser(trx, user.userId)
  return ended
}

/**
 * Creates a link with which a user chooses a new password. An earlier reset link is no longer valid.
 * @throws AppError as `requireManagedUser`, and `conflict` when the account is disabled or being deleted, or has no
 * password
 */
export function createReset(
  deps: ManageUsersDeps,
  name: string,
): Promise<{ readonly user: ManagedUser; readonly link: OperatorLink }> {
  return changeUser(deps, name, async (trx, user) => {
    refuseDeleted(user)
    const shown = toVisibleLine(name)
    if (user.kind !== 'local') {
      throw new AppError(
        'conflict',
        `${shown} has no password here: the user signs in with Google or another provider.`,
      )
    }
    if (user.status !== 'active') {
      throw new AppError('conflict', `${shown} is disabled. Enable the user first.`)
    }
    const { issuer, sealer } = deps
    return {
      user,
      link: await createLink(trx, sealer, resetLinks, { baseUrl: issuer, subject: user.id, now: deps.now() }),
    }
  })
}

/**
 * Creates a link with which the owner of an e-mail creates an account, also while sign-up is closed. An earlier
 * invitation of this e-mail is no longer valid.
 * @throws AppError `invalid_request` when `address` is no e-mail, `conflict` when an account has it or the provider is
 * hosted
 */
export async function inviteUser(
  deps: ManageUsersDeps,
  address: string,
): Promise<{ readonly email: string; readonly link: OperatorLink }> {
  const { issuer, sealer, embedded } = deps
  if (!embedded) {
    throw new AppError('conflict', `The accounts are at ${issuer} (OIDC_ISSUER). Invite the user there.`)
  }
  const email = normalizeEmail(address)
  if (email === null) {
    throw new AppError('invalid_request', `"${toVisibleLine(address)}" is not an e-mail address.`)
  }
  return deps.database.db.transaction().execute(async (trx) => {
    const users = await listUsers(deps, trx)
    const known = users.find((user) => user.status !== 'being deleted' && user.email?.toLowerCase() === email)
    if (known !== undefined) {
      throw new AppError('conflict', `${email} has an account, which is ${known.status}. ${adviceFor(known)}`)
    }
    return {
      email,
      link: await createLink(trx, sealer, invitations, { baseUrl: issuer, subject: email, now: deps.now() }),
    }
  })
}

function adviceFor({ status, kind }: ManagedUser): string {
  if (status === 'disabled') return 'Enable the user instead.'
  return kind === 'local' ? 'For a new password use "yonder users reset".' : 'The user signs in with Google.'
}

function changeUser<Result>(
  deps: ManageUsersDeps,
  name: string,
  change: (trx: Db, user: ManagedUser) => Promise<Result>,
): Promise<Result> {
  return deps.database.db.transaction().execute(async (trx) => {
    const found = await requireManagedUser(deps, name, trx)
    await lockManagedUser(trx, found)
    // Read again, because another command may have changed the user before the rows were locked.
    return change(trx, await requireManagedUser(deps, idPrefix + found.id, trx))
  })
}

function refuseDeleted({ id, status }: ManagedUser): void {
  if (status === 'being deleted') throw new AppError('conflict', `${toVisibleLine(id)} is being deleted.`)
}

/**
 * Ends the sign-ins of a user, and returns their ids. If the user is stored, also disables the user, deletes pending
 * consents, and stores the work for a node.
 */
async function endAccess(
  trx: Db,
  { now }: Pick<ManageUsersDeps, 'now'>,
  { id, userId }: Pick<ManagedUser, 'id' | 'userId'>,
  pending: 'revoke' | 'delete',
): Promise<readonly string[]> {
  const ended = await endSignIns(trx, id, { now: now() })
  if (userId === null) return ended
  await disableUserRow(trx, userId, { disabled_at: now(), pending })
  await deletePendingConsents(trx, userId)
  return ended
}
