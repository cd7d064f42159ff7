import type { ApiKeyService } from '../config/api-key-service.ts'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { GoogleClient } from './oauth/google-client.ts'

/** The dependencies of this domain. `open-integrations.ts` creates them. */
export interface IntegrationDeps {
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  /**
   * Returns our OAuth client for Google. The first call loads its code.
   * @throws AppError `conflict` when Google is not set up
   */
  readonly loadGoogle: () => Promise<GoogleClient>
  /** The API-key services that the operator offers. */
  readonly apiKeyServices: readonly ApiKeyService[]
  /** Lets work continue after the response to a request. Its errors are only logged. */
  readonly inBackground: (work: Promise<unknown>) => void
  /** Called after a user's integrations changed. */
  readonly onChanged: (userId: string) => void
}
