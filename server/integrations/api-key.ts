import type { ApiKeyService } from '../config/api-key-service.ts'
import { openCredential, toOrigin } from '../db/secrets/credential.ts'
import { integrationKeyContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'

/**
 * The stored API key of an integration. `for another address`: the key must not be sent, because the service had
 * another address when the key was entered. `unreadable`: it cannot be decrypted, because SECRET_KEY has
 * changed.
 */
export type StoredApiKey =
  | { readonly kind: 'usable'; readonly key: string }
  | { readonly kind: 'missing' | 'unreadable' | 'for another address' }

/**
 * Returns the origin of an API-key service, which is the address that its keys belong to. Null when it is not
 * offered.
 */
export function addressOfService(services: readonly ApiKeyService[], name: string): string | null {
  const service = services.find((offered) => offered.name === name)
  return service === undefined ? null : toOrigin(service.url)
}

/** Decrypts the API key of an integration. `address` is the origin to which it would be sent. */
export function openApiKey(
  sealer: Sealer,
  integration: Pick<IntegrationRow, 'user_id' | 'name' | 'api_key'> | undefined,
  address: string,
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
