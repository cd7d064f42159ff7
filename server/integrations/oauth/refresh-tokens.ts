import type { GoogleIntegration } from '@yonder/contract/integration-names'
import { AppError } from '../../lib/app-error.ts'
import type { TokenLeases } from '../../lib/token-lease.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { acquireRefreshLease, releaseRefreshLease } from '../integration-store.ts'
import { findGoogleTokens, markEnded, sealGoogleTokens } from './tokens.ts'
import type { FoundTokens } from './tokens.ts'

/**
 * Refreshes tokens once, however many calls and nodes need them at the same time (§19.12).
 * @throws AppError `not_connected` when Google has ended the consent, `upstream_…` when Google fails
 */
export function refreshGoogleTokens(
  deps: IntegrationDeps,
  leases: TokenLeases<FoundTokens>,
  name: GoogleIntegration,
  found: FoundTokens,
): Promise<FoundTokens> {
  const { row } = found
  const { db } = deps.database
  return leases.refresh(`${row.user_id} ${name} ${row.version} ${row.tokens}`, {
    reserve: (now, until) => acquireRefreshLease(db, row, now, until),
    refresh: () => refresh(deps, name, found),
    release: async () => {
      await releaseRefreshLease(db, row, {})
    },
    async findResult() {
      const current = await findGoogleTokens(deps, row.user_id, name)
      if (current.row.tokens !== row.tokens) return current
      if (current.row.refreshing_until === null) throw unreachable()
      return undefined
    },
    onTimeout() {
      throw unreachable()
    },
  })
}

async function refresh(
  deps: IntegrationDeps,
  name: GoogleIntegration,
  { row, tokens }: FoundTokens,
): Promise<FoundTokens> {
  const google = await deps.loadGoogle()
  const refreshed = await google.refreshTokens(name, tokens.refreshToken)
  if (refreshed === undefined) {
    await markEnded(deps, row)
  } else {
    const sealed = sealGoogleTokens(deps.sealer, refreshed, refreshed.refreshToken ?? tokens.refreshToken)
    const scopes = refreshed.scopes.join(' ')
    const isStored = await releaseRefreshLease(deps.database.db, row, { tokens: sealed, scopes })
    if (isStored && scopes !== row.scopes) deps.onChanged(row.user_id)
  }
  // Read again, because the integration may have been disconnected meanwhile.
  return findGoogleTokens(deps, row.user_id, name)
}

function unreachable(): AppError {
  return new AppError('upstream_unreachable', 'Google cannot be reached. Try again later.')
}
