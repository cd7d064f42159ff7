import { isGoogleIntegration, type GoogleIntegration } from '@yonder/contract/integration-names'
import type { Actor } from '../../access/access.ts'
import type { IntegrationRow } from '../../db/tables/integration-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { TokenLeases } from '../../lib/token-lease.ts'
import {
  credentialReplaced,
  isConnected,
  isNotConnected,
  notConnected,
  openGoogleTokens,
  sealGoogleTokens,
  type StoredTokens,
} from '../integration-credential.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import {
  findIntegration,
  integrationLease,
  listIntegrations,
  storeRefreshResult,
} from '../integration-store.ts'

interface GoogleAccessOptions {
  /** Checked only at the start, because a refresh may serve other calls too. */
  readonly signal?: AbortSignal
  /** The token to which Google has responded with 401. It is refreshed, however long it would be valid. */
  readonly rejectedToken?: string
  /** The version of the integration whose token may be returned. Default: any. */
  readonly version?: number
}

/**
 * Returns an access token for the account of a user's integration, which is valid for at least a minute unless Google
 * issues shorter ones, and refreshes it before it expires. Callers must not store, log or show it.
 * @throws AppError `not_connected` when the user has to connect, `conflict` when the integration has another version or
 * Google is not set up on this server, another code when Google fails. The message is for the user and the model.
 */
export type RequireGoogleAccess = (
  userId: string,
  name: GoogleIntegration,
  options?: GoogleAccessOptions,
) => Promise<string>

/** A token is refreshed this long before it expires. */
const refreshBeforeMs = 5 * 60_000
/** A token that is valid for longer than this is still used when the refresh fails. */
const minValidMs = 60_000

/** Creates the function that returns access. `leases` let only one call on one node refresh the same tokens. */
export function openGoogleAccess(
  deps: IntegrationDeps,
  leases: TokenLeases<FoundTokens>,
): RequireGoogleAccess {
  return async (userId, name, { signal, rejectedToken, version } = {}) => {
    signal?.throwIfAborted()
    const toToken = ({ row, tokens }: FoundTokens): string => {
      if (version !== undefined && row.version !== version) throw credentialReplaced(name)
      return tokens.accessToken
    }
    const found = await requireGoogleTokens(deps, userId, name)
    const remainingMs = () => found.tokens.expiresAt - deps.now()
    const isRejected = found.tokens.accessToken === rejectedToken
    if (remainingMs() > refreshBeforeMs && !isRejected) return toToken(found)
    const current = await refreshOnce(deps, leases, name, found).catch((error: unknown) => {
      // The remaining time is calculated again, because the refresh may have taken long.
      if (remainingMs() > minValidMs && !isRejected && !isNotConnected(error)) return found
      throw error
    })
    return toToken(current)
  }
}

/**
 * Refreshes tokens once when several calls or nodes need them at the same time.
 * @throws AppError `not_connected` when Google has ended the consent, another code when Google fails
 */
function refreshOnce(
  deps: IntegrationDeps,
  leases: TokenLeases<FoundTokens>,
  name: GoogleIntegration,
  found: FoundTokens,
): Promise<FoundTokens> {
  const { row } = found
  return leases.refresh(`${row.user_id} ${name} ${row.version} ${row.tokens}`, {
    ...integrationLease(deps.database, row),
    refresh: () => refresh(deps, name, found),
    async findResult() {
      const current = await requireGoogleTokens(deps, row.user_id, name)
      if (current.row.tokens !== row.tokens) return current
      // The other process released its lease without storing tokens, so its refresh failed.
      if (current.row.refreshing_until === null) throw refreshFailed()
      return undefined
    },
    onTimeout() {
      throw refreshFailed()
    },
  })
}

async function refresh(
  deps: IntegrationDeps,
  name: GoogleIntegration,
  { row, tokens }: FoundTokens,
): Promise<FoundTokens> {
  const google = await deps.loadGoogle()
  const granted = row.scopes?.split(' ') ?? []
  const refreshed = await google.refreshTokens(name, tokens.refreshToken, granted)
  if (refreshed === undefined) {
    const ended = { tokens: null, scopes: null, ended: 1 }
    if (await storeRefreshResult(deps.database.db, row, ended)) deps.onChanged(row.user_id)
  } else {
    const sealed = sealGoogleTokens(
      deps.sealer,
      row,
      refreshed,
      refreshed.refreshToken ?? tokens.refreshToken,
    )
    const scopes = refreshed.scopes.join(' ')
    const isStored = await storeRefreshResult(deps.database.db, row, { tokens: sealed, scopes })
    if (isStored && scopes !== row.scopes) deps.onChanged(row.user_id)
  }
  // Read again, because the integration may have been disconnected in the meantime.
  return requireGoogleTokens(deps, row.user_id, name)
}

function refreshFailed(): AppError {
  return new AppError('upstream_error', 'The access to Google could not be renewed. Try again in a moment.')
}

/** An integration at Google and its decrypted tokens. */
export interface FoundTokens {
  readonly row: IntegrationRow
  readonly tokens: StoredTokens
}

/**
 * Returns the stored tokens of an integration.
 * @throws AppError `not_connected` when there are none, or when they cannot be decrypted
 */
async function requireGoogleTokens(
  deps: Pick<IntegrationDeps, 'database' | 'sealer'>,
  userId: string,
  name: GoogleIntegration,
): Promise<FoundTokens> {
  const row = await findIntegration(deps.database.db, { id: userId }, name)
  if (!row?.tokens) throw notConnected(name, row?.ended === 1 ? 'ended' : 'missing')
  const tokens = openGoogleTokens(deps.sealer, row)
  if (tokens === undefined) throw notConnected(name, 'unreadable')
  return { row, tokens }
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
