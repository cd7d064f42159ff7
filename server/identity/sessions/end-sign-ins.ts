import type { Db } from '../../db/database.ts'
import {
  deleteRecord,
  deleteRecordsOfAccount,
  deleteRecordsOfGrant,
  deleteRecordsOfSignIn,
  hashRecordId,
} from '../provider/oidc-store.ts'
import { lifetimeSeconds } from '../provider/token-lifetimes.ts'
import { insertRevokedGrant, deleteSignIn, listSignIns } from './sign-in-store.ts'
import { clockLeewaySeconds } from './token-verifier.ts'

/**
 * Deletes a grant with its codes, refresh tokens and sign-in, and stores it as revoked until its last access token has
 * expired, so that every node refuses these tokens from the next request on.
 */
export async function revokeGrant(db: Db, grantId: string, now: number): Promise<void> {
  const seconds = lifetimeSeconds.accessToken + 2 * clockLeewaySeconds
  await insertRevokedGrant(db, grantId, now + seconds * 1000)
  await deleteRecordsOfGrant(db, grantId)
  await deleteRecord(db, 'Grant', hashRecordId(grantId))
  await deleteSignIn(db, grantId)
}

/** Ends one sign-in, and signs its browser out at the provider. Call it in a transaction. */
export async function endSignIn(trx: Db, grantId: string, now: number): Promise<void> {
  await revokeGrant(trx, grantId, now)
  await deleteRecordsOfSignIn(trx, grantId)
}

/**
 * Ends all sign-ins of an account, or all except that of the grant `keep`, and returns the ids of their grants. Call it
 * in a transaction. A server then calls `EmbeddedSessions.notifyEnded` with these ids.
 */
export async function endSignIns(
  trx: Db,
  accountId: string,
  { now, keep }: { readonly now: number; readonly keep?: string },
): Promise<string[]> {
  const grantIds = (await listSignIns(trx, accountId))
    .map(({ grant_id }) => grant_id)
    .filter((grantId) => grantId !== keep)
  for (const grantId of grantIds) await endSignIn(trx, grantId, now)
  await deleteRecordsOfAccount(trx, accountId, keep)
  return grantIds
}
