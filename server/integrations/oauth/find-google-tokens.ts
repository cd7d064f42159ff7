import type { GoogleIntegration } from '@yonder/contract/integration-names'
import type { IntegrationRow } from '../../db/tables/integration-tables.ts'
import { endGoogleConsent } from './end-google-consent.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { findIntegration } from '../integration-store.ts'
import { notConnected } from '../not-connected.ts'
import { openGoogleTokens } from './sealed-google-tokens.ts'
import type { KeptTokens } from './sealed-google-tokens.ts'

export interface FoundTokens {
  readonly row: IntegrationRow
  readonly tokens: KeptTokens
}

/**
 * What is kept of a person's consent.
 * @throws AppError `not_connected`
 */
export async function findGoogleTokens(
  deps: Pick<IntegrationDeps, 'database' | 'sealer' | 'onChanged'>,
  userId: string,
  name: GoogleIntegration,
): Promise<FoundTokens> {
  const row = await findIntegration(deps.database.db, { id: userId }, name)
  if (!row?.tokens) throw notConnected(name, { hasEnded: row?.ended === 1 })
  const tokens = openGoogleTokens(deps.sealer, row.tokens)
  if (tokens !== undefined) return { row, tokens }
  await endGoogleConsent(deps, row)
  throw notConnected(name, { hasEnded: true })
}
