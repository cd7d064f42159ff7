import type { Db } from '../../db/database.ts'
import { clockLeeway } from './check-access-token.ts'
import { insertEndedGrant } from './revoked-grant-store.ts'
import { hashRecordId } from '../provider/hash-record-id.ts'
import { accessTokenLife } from '../provider/token-lifetimes.ts'
import { deleteRecord, deleteRecordsOfGrant } from '../provider/oidc-store.ts'

/**
 * Ends one sign-in: its codes and refresh tokens are gone, and the API refuses its access tokens from the next request
 * on, on every node.
 */
export async function endGrant(db: Db, grantId: string, now: number): Promise<void> {
  await insertEndedGrant(db, grantId, now + (accessTokenLife + 2 * clockLeeway) * 1000)
  await deleteRecordsOfGrant(db, grantId)
  await deleteRecord(db, 'Grant', hashRecordId(grantId))
}
