import { titleOfIntegration } from '@yonder/contract/integration-names'
import type { ApiKeyService } from '../config/api-key-service.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { AppError } from '../lib/app-error.ts'
import { hideInResponse, hideSecret } from '../lib/hide-secret.ts'
import { quoteResponse, readErrorBody } from '../lib/quote-server.ts'
import type { IntegrationAccount, IntegrationConnector, RemoteServer } from './integration-connector.ts'
import { credentialReplaced, notConnected, openApiKey } from './integration-credential.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { findIntegration } from './integration-store.ts'

/**
 * Creates the connector of an API-key service. A user's key is sent only to the origin that the operator configured. Its `fetch` rejects as `guard.fetch` does, and with an AppError: `address_refused` for another origin,
 * `not_connected` without a key that the service accepts, `conflict` when the key was replaced after the request was
 * allowed.
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
      fetch: async (account, request) => {
        if (new URL(request.url).origin !== address.origin) {
          throw new AppError(
            'address_refused',
            `A request to ${title} would have gone to another site, so it was not sent. Ask the operator of this server to check the address.`,
          )
        }
        const key = await requireKey(deps, account, name, address.origin)
        const headers = new Headers(request.headers)
        headers.set(header, scheme === '' ? key : `${scheme} ${key}`)
        const hasBody = request.method === 'POST'
        const response = await guard.fetch(request.url, {
          method: request.method,
          headers,
          body: hasBody ? await request.arrayBuffer() : null,
          signal: request.signal,
        })
        if (response.status !== 401) return hideInResponse(response, [key])
        const quote = quoteResponse(hideSecret((await readErrorBody(response)) ?? '', key))
        throw new AppError(
          'not_connected',
          `${title} did not accept your API key. Enter another one under Settings, Integrations.${quote}`,
        )
      },
    },
  }
}

/** @throws AppError `not_connected` without a key that may be sent to `address`, `conflict` when it was replaced */
async function requireKey(
  { database: { db }, sealer }: Pick<IntegrationDeps, 'database' | 'sealer'>,
  { userId, version }: IntegrationAccount,
  name: string,
  address: string,
): Promise<string> {
  const row = await findIntegration(db, { id: userId }, name)
  if (!row?.api_key) throw notConnected(name, 'missing')
  const stored = openApiKey(sealer, row, address)
  if ('problem' in stored) throw notConnected(name, stored.problem)
  if (row.version !== version) throw credentialReplaced(name)
  return stored.key
}
