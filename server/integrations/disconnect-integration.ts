import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import { giveBackToken } from './oauth/revoke-google-token.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { requireIntegration, unconnected, updateIntegration } from './integration-store.ts'
import type { Owner } from './integration-store.ts'
import { openGoogleTokens } from './oauth/sealed-google-tokens.ts'

/**
 * Erases what connects an integration. Google is told behind the scenes: whether it listens changes nothing here.
 * @throws AppError `not_found`
 */
export async function disconnectIntegration(
  deps: IntegrationDeps,
  user: Owner,
  name: string,
): Promise<IntegrationRow> {
  const { db } = deps.database
  const stored = await requireIntegration(db, user, name)
  await updateIntegration(db, stored, unconnected)
  deps.onChanged(user.id)
  const tokens = stored.tokens === null ? undefined : openGoogleTokens(deps.sealer, stored.tokens)
  if (tokens !== undefined) giveBackToken(deps, user, tokens.refreshToken)
  return requireIntegration(db, user, name)
}
