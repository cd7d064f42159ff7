import { titleOfIntegration } from '@yonder/contract/integration-names'
import { AppError } from '../lib/app-error.ts'
import { quoteResponse, readErrorBody } from '../lib/quote-server.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { ApiKeyService } from '../config/api-key-service.ts'
import type { IntegrationConnector, RemoteServer } from './integration-connector.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { openApiKey } from './api-key.ts'
import { notConnected } from './integration-status.ts'
import { findIntegration } from './integration-store.ts'

/**
 * The connector of an API-key service. The user's key is sent only to the origin that the operator configured (§19.2).
 */
export function createApiKeyConnector(
  deps: Pick<IntegrationDeps, 'database' | 'sealer'>,
  { name, url, header, scheme }: ApiKeyService,
  guard: Pick<GuardedFetch, 'fetch'>,
): IntegrationConnector & { readonly server: RemoteServer } {
  const address = new URL(url)
  const title = titleOfIntegration(name)
  return {
    integration: name,
    name: title,
    url,
    slug: title,
    server: {
      kind: 'remote',
      address,
      fetch: async (userId, request) => {
        if (new URL(request.url).origin !== address.origin) {
          throw new AppError(
            'address_refused',
            `${title} redirected to another site. Your API key was not sent there. Ask the operator of this server to check the address.`,
          )
        }
        const key = await requireKey(deps, userId, name, address.origin)
        const headers = new Headers(request.headers)
        headers.set(header, scheme === '' ? key : `${scheme} ${key}`)
        const hasBody = request.method === 'POST'
        const response = await guard.fetch(request.url, {
          method: request.method,
          headers,
          body: hasBody ? await request.arrayBuffer() : null,
          signal: request.signal,
        })
        if (response.status !== 401) return response
        const words = quoteResponse(await readErrorBody(response))
        throw new AppError(
          'not_connected',
          `${title} did not accept your API key. Enter another one under Settings, Integrations.${words}`,
        )
      },
    },
  }
}

/** @throws AppError `not_connected` when there is no key for this address */
async function requireKey(
  { database: { db }, sealer }: Pick<IntegrationDeps, 'database' | 'sealer'>,
  userId: string,
  name: string,
  address: string,
): Promise<string> {
  const stored = openApiKey(sealer, await findIntegration(db, { id: userId }, name), address)
  if (stored.kind === 'usable') return stored.key
  if (stored.kind === 'missing') throw notConnected(name, { hasEnded: false })
  const title = titleOfIntegration(name)
  throw new AppError(
    'not_connected',
    stored.kind === 'for another address'
      ? `The operator of this server has changed the address of ${title}, so your API key was not sent. Enter the key for the new address under Settings, Integrations.`
      : `The stored API key of ${title} cannot be decrypted, because SECRET_KEY has changed. Enter it again under Settings, Integrations.`,
  )
}
