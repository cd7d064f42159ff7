import { isGoogleIntegration, type GoogleIntegration } from '@yonder/contract/integration-names'
import type { Actor } from '../../access/access.ts'
import type { IntegrationRow } from '../../db/tables/integration-tables.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { isConnected, notConnected } from '../integration-status.ts'
import { findIntegration, listIntegrations, storeRefreshResult } from '../integration-store.ts'
import { openGoogleTokens, type StoredTokens } from './seal-tokens.ts'

/** An integration at Google and its decrypted tokens. */
export interface FoundTokens {
  readonly row: IntegrationRow
  readonly tokens: StoredTokens
}

/**
 * Returns the stored tokens of an integration.
 * @throws AppError `not_connected` when there are none, or when they cannot be decrypted
 */
export async function requireGoogleTokens(
  deps: Pick<IntegrationDeps, 'database' | 'sealer'>,
  userId: string,
  name: GoogleIntegration,
): Promise<FoundTokens> {
  const row = await findIntegration(deps.database.db, { id: userId }, name)
  if (!row?.tokens) throw notConnected(name, row?.ended === 1 ? 'ended' : 'missing')
  const tokens = openGoogleTokens(deps.sealer, row, row.tokens)
  if (tokens === undefined) throw notConnected(name, 'unreadable')
  return { row, tokens }
}

/** Deletes the tokens of an integration and marks it as ended by Google, unless the tokens were replaced. */
export async function markEnded(
  { database, onChanged }: Pick<IntegrationDeps, 'database' | 'onChanged'>,
  row: IntegrationRow,
): Promise<void> {
  const ended = { tokens: null, scopes: null, ended: 1 }
  if (await storeRefreshResult(database.db, row, ended)) onChanged(row.user_id)
}

/**
 * Revokes a token at Google in the background. Google then ends everything that the user has allowed us with this
 * account, so nothing is revoked while any integration of the user at Google is connected, even one with
 * another account, because the account of an integration is not stored.
 */
export function revokeInBackground(deps: IntegrationDeps, user: Actor, token: string): void {
  deps.inBackground(revoke(deps, user, token))
}

async function revoke(deps: IntegrationDeps, user: Actor, token: string): Promise<void> {
  const integrations = await listIntegrations(deps.database.db, user)
  if (integrations.some((row) => isGoogleIntegration(row.name) && isConnected(deps, row))) return
  const google = await deps.loadGoogle()
  await google.revokeToken(token)
}
