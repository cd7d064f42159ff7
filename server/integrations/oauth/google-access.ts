import type { GoogleIntegration } from '@yonder/contract/integration-names'
import type { IntegrationDeps } from '../integration-deps.ts'
import type { TokenLeases } from '../../lib/token-lease.ts'
import { isNotConnected } from '../integration-status.ts'
import { refreshGoogleTokens } from './refresh-tokens.ts'
import { findGoogleTokens } from './tokens.ts'
import type { FoundTokens } from './tokens.ts'

/** Access to a user's Google account. */
export interface GoogleAccess {
  /** Valid for at least a minute. Never stored, logged or shown. */
  readonly token: string
  /** The granted scopes, which may be fewer than requested. */
  readonly scopes: ReadonlySet<string>
}

/**
 * Returns an access token for a user's integration and refreshes it when it is about to expire. `rejectedToken` is a
 * token to which Google has just responded with 401: it is refreshed, or the integration has ended (§11.18, §19.12).
 * @throws AppError `not_connected` when the user has to connect (again), `upstream_…` when Google fails. The message is
 * for the user and the model.
 */
export type FindGoogleAccess = (
  userId: string,
  name: GoogleIntegration,
  options?: { readonly signal?: AbortSignal; readonly rejectedToken?: string },
) => Promise<GoogleAccess>

/** A token that expires within this time is refreshed. */
const refreshBeforeMs = 5 * 60_000
/** A token that is valid for at least this time is still used when the refresh fails. */
const minValidMs = 60_000

export function createFindGoogleAccess(
  deps: IntegrationDeps,
  leases: TokenLeases<FoundTokens>,
): FindGoogleAccess {
  return async (userId, name, { signal, rejectedToken } = {}) => {
    signal?.throwIfAborted()
    const found = await findGoogleTokens(deps, userId, name)
    const remainingMs = found.tokens.expiresAt - deps.now()
    const isRejected = found.tokens.accessToken === rejectedToken
    if (remainingMs > refreshBeforeMs && !isRejected) return toAccess(found)
    try {
      return toAccess(await refreshGoogleTokens(deps, leases, name, found))
    } catch (error) {
      if (remainingMs > minValidMs && !isRejected && !isNotConnected(error)) return toAccess(found)
      throw error
    }
  }
}

function toAccess({ row, tokens }: FoundTokens): GoogleAccess {
  return { token: tokens.accessToken, scopes: new Set(row.scopes?.split(' ')) }
}
