import type { ApiKeyService } from '../config/api-key-service.ts'
import { openCredential, toOrigin } from '../db/secrets/credential.ts'
import { integrationKeyContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'

/** The stored API key of an integration, and whether it may be sent to the service's current address (§19.20). */
export type StoredApiKey =
  | { readonly kind: 'usable'; readonly key: string }
  | { readonly kind: 'missing' | 'unreadable' | 'for another address' }

/** The origin of a service. Null when the operator does not offer it. */
export function addressOfService(services: readonly ApiKeyService[], name: string): string | null {
  const service = services.find((offered) => offered.name === name)
  return service === undefined ? null : toOrigin(service.url)
}

/** Opens the API key of an integration. `address` is the origin that it would be sent to. */
export function openApiKey(
  sealer: Sealer,
  integration: Pick<IntegrationRow, 'user_id' | 'name' | 'api_key'> | undefined,
  address: string | null,
): StoredApiKey {
  if (!integration?.api_key) return { kind: 'missing' }
  try {
    const stored = openCredential(sealer, integrationKeyContext(integration), integration.api_key)
    if (stored.address !== address) return { kind: 'for another address' }
    return { kind: 'usable', key: stored.secret }
  } catch {
    return { kind: 'unreadable' }
  }
}
