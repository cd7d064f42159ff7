import type { Database } from '../../db/database.ts'
import { AppError } from '../../lib/app-error.ts'
import { invitations } from '../accounts/operator-links.ts'
import type { Identity } from '../identity.ts'
import { deleteAccountRecordsOfModel } from '../provider/oidc-store.ts'
import type { User } from '../user.ts'
import { beginDeletion } from './manage-users.ts'
import { lockManagedUser } from './managed-user-store.ts'
import { findUserRow } from './user-store.ts'
import { insertWithdrawn } from './withdrawn-store.ts'

export interface OwnAccountDeps {
  readonly database: Pick<Database, 'db'>
  readonly identity: Pick<Identity, 'clientSettings' | 'sessions'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Deletes a user at their own wish, as the command of the operator does. The same identity may sign in again and is then
 * a new user. Does nothing when another request has begun the deletion.
 * @throws AppError `unauthenticated` when the operator has disabled the user meanwhile
 */
export async function deleteOwnAccount(
  { database: { db }, identity: { clientSettings, sessions }, now }: OwnAccountDeps,
  { id: userId, issuer, subject, email }: User,
): Promise<void> {
  const ended = await db.transaction().execute(async (trx) => {
    await lockManagedUser(trx, { id: subject, userId })
    const current = await findUserRow(trx, issuer, subject)
    if (current?.id !== userId || current.pending === 'delete') return []
    if (current.disabled_at !== null) throw new AppError('unauthenticated', 'Your account is disabled.')
    if (!clientSettings.embedded) await insertWithdrawn(trx, { issuer, subject }, now())
    // An invitation that was not used names the e-mail.
    if (email !== null) await deleteAccountRecordsOfModel(trx, invitations.model, email.toLowerCase())
    return beginDeletion(trx, { now }, { id: subject, userId })
  })
  await sessions?.notifyEnded(subject, ended)
}
