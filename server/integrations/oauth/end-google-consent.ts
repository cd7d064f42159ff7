import type { IntegrationRow } from '../../db/tables/integration-tables.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { endRenewal } from '../integration-store.ts'

/** Notes that nothing can be done any more with what Google gave, unless something else was given meanwhile. */
export async function endGoogleConsent(
  { database, onChanged }: Pick<IntegrationDeps, 'database' | 'onChanged'>,
  row: IntegrationRow,
): Promise<void> {
  if (await endRenewal(database.db, row, { tokens: null, scopes: null, ended: 1 })) onChanged(row.user_id)
}
