import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { ApiKeyService } from '../config/api-key-service.ts'
import type { GoogleClient } from './oauth/google-client.ts'

/** What the functions of this folder share. `open-integrations.ts` creates it. */
export interface IntegrationDeps {
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  /**
   * Our OAuth client at Google, loaded on first use.
   * @throws AppError `conflict` that names the missing settings
   */
  readonly loadGoogle: () => Promise<GoogleClient>
  /** The services with an API key that the operator offers. */
  readonly apiKeyServices: readonly ApiKeyService[]
  /** Runs work that no request waits for. Errors are only logged. */
  readonly inBackground: (work: Promise<unknown>) => void
  /** Called after a user's integrations changed. */
  readonly onChanged: (userId: string) => void
  /** Aborted when the process stops. */
  readonly closing: AbortSignal
}
