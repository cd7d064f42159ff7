import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { ApiKeyService } from '../config/api-key-service.ts'
import type { GoogleClient } from './oauth/google-client.ts'

/** What the files of this folder share; `open-integrations.ts` makes it. */
export interface IntegrationDeps {
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Us as a client of Google, loaded when it is first needed; null when the operator has not registered one. */
  readonly loadGoogle: (() => Promise<GoogleClient>) | null
  /** Services with an API key, as the operator lists them. */
  readonly apiKeyServices: readonly ApiKeyService[]
  /** Renewals of tokens that are under way, so that each is done once. */
  readonly renewing: Map<string, Promise<unknown>>
  /** Does something that nobody waits for; what fails is only noted. */
  readonly inBackground: (work: Promise<unknown>) => void
  /** Called when a person's integrations read differently now. */
  readonly onChanged: (userId: string) => void
  /** Aborted when the process goes down. */
  readonly closing: AbortSignal
}
