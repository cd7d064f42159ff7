import type { Db } from '../../db/database.ts'
import { hashRecordId } from '../provider/oidc-store.ts'
import { insertRevokedGrant } from '../sessions/sign-in-store.ts'
import { maxTokenLifetimeSeconds } from '../sessions/token-verifier.ts'
import type { User } from '../user.ts'

/*
 * Users of a hosted provider who have deleted their account. The provider knows nothing of it, so its access tokens stay
 * valid, and the first request with one would store the user again. A hash, which says nothing about the user, is kept
 * until the last of these tokens has expired.
 */

type Subject = Pick<User, 'issuer' | 'subject'>

const keepMs = maxTokenLifetimeSeconds * 1000

const keyOf = ({ issuer, subject }: Subject) => `withdrawn:${hashRecordId(JSON.stringify([issuer, subject]))}`

/** Stores that a user has deleted the account now. */
export async function insertWithdrawn(trx: Db, user: Subject, now: number): Promise<void> {
  await insertRevokedGrant(trx, keyOf(user), now + keepMs)
}

/** After the operator has deleted a user who had come back, and who stays disabled. */
export async function deleteWithdrawn(trx: Db, user: Subject): Promise<void> {
  await trx.deleteFrom('ended_grants').where('grant_id', '=', keyOf(user)).execute()
}

/** When the user with this subject has deleted the account. Undefined when the user has not. */
export async function findDeletionTime(db: Db, user: Subject): Promise<number | undefined> {
  const row = await db
    .selectFrom('ended_grants')
    .select('expires_at')
    .where('grant_id', '=', keyOf(user))
    .executeTakeFirst()
  return row === undefined ? undefined : row.expires_at - keepMs
}
