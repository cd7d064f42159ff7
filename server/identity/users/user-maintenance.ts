import type { Database } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import {
  clearRevoke,
  deleteUserRow,
  findPendingUser,
  hasRunningRuns,
  insertDisabledIdentity,
  listPendingUserIds,
} from './managed-user-store.ts'
import { findDeletionTime } from './withdrawn-store.ts'

/** Milliseconds between two reads of the users that the operator disabled or deleted. */
const pollIntervalMs = 1_000

export interface UserMaintenanceOptions {
  readonly database: Pick<Database, 'db'>
  /** True for the embedded provider. An identity of a hosted one that the operator has deleted stays disabled. */
  readonly embedded: boolean
  /** Revokes the tokens of a user from other servers. */
  readonly revokeTokens: (userId: string) => Promise<void>
  /** Deletes the chats and files of a user. They may be too many for one transaction. */
  readonly deleteData: (userId: string) => Promise<void>
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

/**
 * Does the work that disabling and deleting users leaves to a node, also after a restart. Every node does it, and doing
 * it twice changes nothing. Returns a function that stops it.
 */
export function startUserMaintenance(options: UserMaintenanceOptions): () => Promise<void> {
  return repeatUntilStopped(() => processPendingUsers(options), pollIntervalMs, options.onError)
}

/**
 * Does what is left to do for each disabled or deleted user whose replies have stopped: revokes the tokens, and deletes
 * the data of a deleted one. For a user who was enabled again, it does not wait: the replies may be new ones, and a
 * later revocation would include the accounts that the user connects until then.
 */
export async function processPendingUsers(options: UserMaintenanceOptions): Promise<void> {
  const { db } = options.database
  for (const id of await listPendingUserIds(db)) {
    // Read again, because the users before this one may have taken long, and another node may have done the work since.
    const user = await findPendingUser(db, id)
    if (user === undefined) continue
    // A running reply is stopped by its node, or expired by another node, and the user is processed in a later pass.
    if (user.disabled_at !== null && (await hasRunningRuns(db, user.id))) continue
    // A server that cannot be reached must not prevent the deletion of the data.
    await options.revokeTokens(user.id).catch(options.onError)
    if (user.pending === 'revoke') await clearRevoke(db, user)
    // Read again: revoking may take long, and after a deletion by another node a row with this id may exist again.
    else if ((await findPendingUser(db, id))?.pending === 'delete') await deleteUserData(options, user)
  }
}

async function deleteUserData(
  { database: { db }, embedded, deleteData }: UserMaintenanceOptions,
  user: UserRow,
): Promise<void> {
  await deleteData(user.id)
  await db.transaction().execute(async (trx) => {
    const isDeleted = await deleteUserRow(trx, user.id)
    // Who has deleted the account by themselves may come back with a new sign-in.
    const staysOut = !embedded && (await findDeletionTime(trx, user)) === undefined
    if (isDeleted && staysOut) await insertDisabledIdentity(trx, user)
  })
}
