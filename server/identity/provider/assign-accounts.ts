import type { AdapterPayload } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import { signInRecordContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { insertSignIn } from '../sessions/sign-in-store.ts'
import { readOwner } from './oidc-adapter.ts'
import { listRecordsWithoutAccount, setAccountOfRecord, type StoredRecord } from './oidc-store.ts'

/**
 * Stores the account in every record that a former version stored without it, so that the list of an account's sign-ins
 * is complete. A migration cannot do this, because it cannot decrypt the payloads.
 */
export async function assignAccounts({ db }: Pick<Database, 'db'>, sealer: Sealer): Promise<void> {
  const records = await listRecordsWithoutAccount(db)
  if (records.length === 0) return
  await db.transaction().execute(async (trx) => {
    for (const record of records) {
      const payload = openPayload(sealer, record)
      const owner = readOwner(record.model, payload)
      await setAccountOfRecord(trx, record, owner)
      const { account_id, sign_in_id: grant_id } = owner
      if (record.model !== 'Grant' || grant_id === null || account_id === null) continue
      const created_at = (payload.iat ?? 0) * 1000
      await insertSignIn(trx, { grant_id, account_id, browser: null, created_at, used_at: created_at })
    }
  })
}

/** An empty payload when the record was not sealed by this installation. No sign-in can use such a record. */
function openPayload(sealer: Sealer, record: StoredRecord): AdapterPayload {
  try {
    return JSON.parse(sealer.open(record.payload, signInRecordContext(record))) as AdapterPayload
  } catch {
    return {}
  }
}
