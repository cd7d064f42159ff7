import { isGoogleIntegration } from '@yonder/contract/integration-names'
import type { GoogleIntegration } from '@yonder/contract/integration-names'
import { integrationTokensContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { IntegrationRow } from '../../db/tables/integration-tables.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { notConnected } from '../integration-status.ts'
import { findIntegration, listIntegrations, releaseRefreshLease } from '../integration-store.ts'
import type { Owner } from '../integration-store.ts'
import type { GoogleTokens } from './google-client.ts'

/** The tokens of an integration. They are stored encrypted. The scopes are not secret and have another column. */
export interface StoredTokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface FoundTokens {
  readonly row: IntegrationRow
  readonly tokens: StoredTokens
}

export function sealGoogleTokens(
  sealer: Sealer,
  owner: Pick<IntegrationRow, 'user_id' | 'name'>,
  { accessToken, expiresAt }: GoogleTokens,
  refreshToken: string,
): string {
  const tokens: StoredTokens = { accessToken, refreshToken, expiresAt }
  return sealer.seal(JSON.stringify(tokens), integrationTokensContext(owner))
}

/** Returns undefined when the tokens cannot be decrypted because SECRET_KEY has changed. */
export function openGoogleTokens(
  sealer: Sealer,
  row: Pick<IntegrationRow, 'user_id' | 'name'>,
  sealed: string,
): StoredTokens | undefined {
  try {
    return JSON.parse(sealer.open(sealed, integrationTokensContext(row))) as StoredTokens
  } catch {
    return undefined
  }
}

/** @throws AppError `not_connected` */
export async function findGoogleTokens(
  deps: Pick<IntegrationDeps, 'database' | 'sealer' | 'onChanged'>,
  userId: string,
  name: GoogleIntegration,
): Promise<FoundTokens> {
  const row = await findIntegration(deps.database.db, { id: userId }, name)
  if (!row?.tokens) throw notConnected(name, { hasEnded: row?.ended === 1 })
  const tokens = openGoogleTokens(deps.sealer, row, row.tokens)
  if (tokens !== undefined) return { row, tokens }
  await markEnded(deps, row)
  throw notConnected(name, { hasEnded: true })
}

/** Deletes the tokens of an integration and marks it as ended by Google, unless the tokens were replaced. */
export async function markEnded(
  { database, onChanged }: Pick<IntegrationDeps, 'database' | 'onChanged'>,
  row: IntegrationRow,
): Promise<void> {
  const ended = { tokens: null, scopes: null, ended: 1 }
  if (await releaseRefreshLease(database.db, row, ended)) onChanged(row.user_id)
}

/**
 * Revokes a token at Google in the background. Google then revokes everything that the user has allowed us, so nothing is
 * revoked while another Google integration of the user is connected (§19.11).
 */
export function revokeInBackground(deps: IntegrationDeps, user: Owner, token: string): void {
  deps.inBackground(revoke(deps, user, token))
}

async function revoke(deps: IntegrationDeps, user: Owner, token: string): Promise<void> {
  const integrations = await listIntegrations(deps.database.db, user)
  if (integrations.some(({ name, tokens }) => isGoogleIntegration(name) && tokens !== null)) return
  const google = await deps.loadGoogle()
  await google.revokeToken(token)
}
