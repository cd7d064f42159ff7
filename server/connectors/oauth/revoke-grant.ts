import {
  assertSecureTokenEndpoint,
  selectClientAuthMethod,
  type OAuthMetadata,
} from '@modelcontextprotocol/client'
import type { Actor } from '../../access/access.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { withTimeout } from '../../lib/abort.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { disconnectConnector } from '../connector-state.ts'
import { listConnectors } from '../connector-store.ts'
import { fetchByOrigin } from '../mcp/fetch-by-origin.ts'
import { findClient } from './client-secret.ts'
import { deleteGrant, findGrant, type Grant } from './grant-store.ts'

const requestTimeoutMs = 15_000

/** Revokes the grants of all connectors of a user, and disconnects the connectors that had tokens. */
export async function revokeAllGrants(deps: ConnectorDeps, user: Actor): Promise<void> {
  const { db } = deps.database
  for (const connector of await listConnectors(db, user)) {
    const grant = await findGrant(deps, connector)
    if (!grant?.tokens) continue
    await deleteGrant(db, connector)
    await disconnectConnector(deps, connector)
    void revokeGrant(deps, connector, grant)
  }
}

/**
 * Revokes the tokens of a grant (RFC 7009) with the client that got them, if the server supports it: the refresh token
 * first, since most servers revoke the whole grant with it. Never rejects: a failure is reported to `onError`, unless
 * the process is shutting down.
 */
export async function revokeGrant(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  { issuer, tokens, details: { client: registered, discovery } }: Grant,
): Promise<void> {
  const metadata: Partial<OAuthMetadata> = discovery?.authorizationServerMetadata ?? {}
  if (tokens === null || metadata.revocation_endpoint === undefined) return
  try {
    const client = await findClient(deps, connector, issuer, registered ?? undefined)
    if (client === undefined) return
    const { client_id, client_secret = '' } = client
    const method = selectClientAuthMethod(client, [
      ...(metadata.revocation_endpoint_auth_methods_supported ??
        metadata.token_endpoint_auth_methods_supported ??
        []),
    ])
    const headers = new Headers({ accept: 'application/json' })
    const credentials: Record<string, string> = {}
    if (method === 'client_secret_basic') {
      const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
      headers.set('authorization', `Basic ${basic}`)
    } else {
      credentials['client_id'] = client_id
      if (method === 'client_secret_post') credentials['client_secret'] = client_secret
    }
    const endpoint = assertSecureTokenEndpoint(metadata.revocation_endpoint)
    const send = fetchByOrigin(new URL(connector.url), deps.guards)
    for (const token_type_hint of ['refresh_token', 'access_token'] as const) {
      const token = tokens.tokens[token_type_hint]
      if (token === undefined) continue
      const body = new URLSearchParams({ token, token_type_hint, ...credentials })
      const response = await withTimeout(deps.closing, requestTimeoutMs, (signal) =>
        send(endpoint, { method: 'POST', headers, body, signal }),
      )
      await response.body?.cancel()
      if (!response.ok)
        throw new Error(`Tokens could not be revoked at ${endpoint.origin} (${response.status}).`)
    }
  } catch (error) {
    if (!deps.closing.aborted) deps.onError(error)
  }
}
