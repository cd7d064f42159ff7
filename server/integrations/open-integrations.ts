import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { createCalendarConnector, createGmailConnector } from './google-connectors.ts'
import { createKeyedConnector } from './api-key/create-api-key-connector.ts'
import { createFindGoogleAccess } from './oauth/find-google-access.ts'
import type { FindGoogleAccess } from './oauth/google-access.ts'
import type { GoogleClient } from './oauth/google-client.ts'
import type { GoogleApiDeps } from './google/api-client.ts'
import type { IntegrationConnector } from './integration-connector.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { listStandings } from './integration-status.ts'
import type { IntegrationStanding } from './integration-status.ts'

export interface IntegrationOptions {
  readonly config: Pick<Config, 'publicUrl' | 'google' | 'googleApis' | 'apiKeyServices'>
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly guards: { readonly operatorSupplied: Pick<GuardedFetch, 'fetch'> }
  /** Called when a person's integrations read differently now. */
  readonly onChanged: (userId: string) => void
  /** For what a person cannot act on. */
  readonly onError: (error: unknown) => void
}

/** What chats need of integrations. Google's client is loaded when it is first needed. */
export interface Integrations extends IntegrationDeps {
  /** The connectors that integrations bring along; each is there for whoever has connected its integration. */
  readonly connectors: readonly IntegrationConnector[]
  readonly findGoogleAccess: FindGoogleAccess
  /** The integrations that a person has connected, by name. */
  listStandings(userId: string): Promise<ReadonlyMap<string, IntegrationStanding>>
  /** Ends what is under way. Call it before the guards and the database close. */
  close(): Promise<void>
}

export function openIntegrations(options: IntegrationOptions): Integrations {
  const { config, database, sealer, now, onError } = options
  const { fetch } = options.guards.operatorSupplied
  const closing = new AbortController()
  const background = new Set<Promise<unknown>>()
  const deps: IntegrationDeps = {
    database,
    sealer,
    now,
    loadGoogle: createGoogleLoader(options, closing.signal),
    apiKeyServices: config.apiKeyServices,
    renewing: new Map(),
    inBackground(work) {
      const noted = work.catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error)
      })
      background.add(noted)
      void noted.finally(() => background.delete(noted))
    },
    onChanged: options.onChanged,
    closing: closing.signal,
  }
  const findGoogleAccess = createFindGoogleAccess(deps)
  const google: GoogleApiDeps = {
    findAccess: findGoogleAccess,
    fetch,
    apiUrls: { gmail: config.googleApis.gmailUrl, calendar: config.googleApis.calendarUrl },
    now,
  }
  return {
    ...deps,
    findGoogleAccess,
    connectors: [
      createGmailConnector(google),
      createCalendarConnector(google),
      ...config.apiKeyServices.map((server) =>
        createKeyedConnector(deps, server, options.guards.operatorSupplied),
      ),
    ],
    listStandings: (userId) => listStandings(deps, userId),
    async close() {
      closing.abort(new Error('The server goes down.'))
      await Promise.allSettled([...background, ...deps.renewing.values()])
    },
  }
}

/** A failed load is tried again. */
function createGoogleLoader(
  { config, guards, now }: IntegrationOptions,
  closing: AbortSignal,
): IntegrationDeps['loadGoogle'] {
  const { google, googleApis: apis, publicUrl } = config
  if (google === null) return null
  let client: GoogleClient | undefined
  return async () => {
    const { createGoogleClient } = await import('./oauth/google-client.ts')
    client ??= createGoogleClient({
      google,
      apis,
      publicUrl,
      fetch: guards.operatorSupplied.fetch,
      closing,
      now,
    })
    return client
  }
}
