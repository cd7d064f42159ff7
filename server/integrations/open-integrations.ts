import type { Config } from '../config/config.ts'
import type { Database, Db } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { AppError } from '../lib/app-error.ts'
import { keepResult } from '../lib/keep-result.ts'
import { TokenLeases } from '../lib/token-lease.ts'
import { createApiKeyConnector } from './api-key-connector.ts'
import { createCalendarConnector, createGmailConnector } from './google-connectors.ts'
import type { GoogleApiDeps } from './google/api-client.ts'
import { googleLimits } from './google/retry.ts'
import type { IntegrationAccount, IntegrationConnector } from './integration-connector.ts'
import { listStatuses } from './integration-credential.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { storeCallError } from './integration-store.ts'
import { disconnectGoogleIntegrations } from './manage-integrations.ts'
import { openGoogleAccess, type FoundTokens } from './oauth/google-access.ts'

/** The dependencies of the app that this domain uses. */
interface AppDeps {
  readonly config: Pick<Config, 'publicUrl' | 'google' | 'googleApis' | 'apiKeyServices'>
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly guards: { readonly operatorSupplied: Pick<GuardedFetch, 'fetch'> }
}

export interface IntegrationOptions {
  /** Called after a user's integrations changed. */
  readonly onChanged: (userId: string) => void
  /** Called with the errors of background work, which are logged and not shown to users. */
  readonly onError: (error: unknown) => void
}

export type Integrations = ReturnType<typeof openIntegrations>

export function openIntegrations(appDeps: AppDeps, { onChanged, onError }: IntegrationOptions) {
  const { config, database, sealer, now } = appDeps
  const { operatorSupplied } = appDeps.guards
  const closing = new AbortController()
  const background = new Set<Promise<unknown>>()
  const deps: IntegrationDeps = {
    database,
    sealer,
    now,
    loadGoogle: keepResult(async () => {
      if (config.google === null) {
        throw new AppError(
          'conflict',
          'Google is not set up on this server. Ask its operator to set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
        )
      }
      const { createGoogleClient } = await import('./oauth/google-client.ts')
      return createGoogleClient({
        google: config.google,
        apis: config.googleApis,
        publicUrl: config.publicUrl,
        fetch: operatorSupplied.fetch,
        closing: closing.signal,
        now,
      })
    }),
    apiKeyServices: config.apiKeyServices,
    inBackground(work) {
      const settled = work.catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error)
      })
      background.add(settled)
      void settled.finally(() => background.delete(settled))
    },
    onChanged,
  }
  const leases = new TokenLeases<FoundTokens>({ now, closing: closing.signal })
  const requireGoogleAccess = openGoogleAccess(deps, leases)
  const recordFailure = async (
    { userId, version }: IntegrationAccount,
    name: string,
    failure: string | null,
  ): Promise<void> => {
    if (await storeCallError(database.db, { user_id: userId, name, version }, failure)) onChanged(userId)
  }
  const google: GoogleApiDeps = {
    requireAccess: requireGoogleAccess,
    // The request may have taken effect at Google, so the call must not fail because its outcome cannot be stored.
    recordFailure: (...failure) => recordFailure(...failure).catch(onError),
    fetch: operatorSupplied.fetch,
    limits: googleLimits,
    apiUrls: { gmail: config.googleApis.gmailUrl, calendar: config.googleApis.calendarUrl },
    now,
  }
  /**
   * The connectors of all integrations that this server offers. Users see those of the integrations that they have
   * connected.
   */
  const connectors: readonly IntegrationConnector[] = [
    createGmailConnector(google),
    createCalendarConnector(google),
    ...deps.apiKeyServices.map((service) => createApiKeyConnector(deps, service, operatorSupplied)),
  ]
  return {
    /** For the routes. */
    deps,
    requireGoogleAccess,
    connectors,
    /** Returns the status of each integration that a user has connected, by name. */
    listStatuses: (userId: string, trx?: Db) => listStatuses(deps, userId, trx),
    /** Stores why calls with this account fail; null when they work. */
    recordFailure,
    /** Disconnects a user's integrations at Google and revokes their tokens. */
    revokeTokens: (userId: string) => disconnectGoogleIntegrations(deps, { id: userId }),
    /** Aborts OAuth requests and waits for background work. Call it before the guards and the database are closed. */
    async close(): Promise<void> {
      closing.abort(new Error('The server is stopping.'))
      await Promise.allSettled([...background, leases.settled()])
    },
  }
}
