import { assertSecureTokenEndpoint, selectClientAuthMethod } from '@modelcontextprotocol/client'
import type {
  OAuthMetadata,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { withTimeout } from '../../lib/abort.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { disconnectConnector } from '../connector-state.ts'
import { listConnectors } from '../connector-store.ts'
import type { Owner } from '../connector-store.ts'
import { clearGrants, listGrants } from './grant-store.ts'
import type { Grant } from './grant-store.ts'
import { fetchByOrigin } from '../mcp/server-fetch.ts'
import { ConnectorOAuth } from './connector-oauth.ts'

const requestTimeoutMs = 15_000

/** The data for a revocation request (RFC 7009). */
interface Revocation {
  readonly endpoint: URL
  readonly authMethods: readonly string[]
  readonly client: StoredOAuthClientInformation
  readonly tokens: StoredOAuthTokens
}

/**
 * Reads the grants of a connector before it is deleted. Returns a function that revokes them in the background at the
 * servers that support it; a failed revocation is only reported to `onError` (§18.17).
 */
export async function prepareRevocation(deps: ConnectorDeps, connector: ConnectorRow): Promise<() => void> {
  const url = new URL(connector.url)
  const grants = await listGrants(deps, connector)
  const found = grants.map((grant) =>
    // A grant that cannot be revoked must not prevent the others from being revoked.
    findRevocation(deps, connector, grant).catch((error: unknown) => {
      deps.onError(error)
      return undefined
    }),
  )
  const revocations = (await Promise.all(found)).filter((each) => each !== undefined)
  return () => {
    for (const revocation of revocations) void revoke(deps, url, revocation)
  }
}

/** Revokes the grants of all connectors of a user, and disconnects these connectors (§15.35). */
export async function revokeAllGrants(deps: ConnectorDeps, user: Owner): Promise<void> {
  const { db } = deps.database
  for (const connector of await listConnectors(db, user)) {
    const grants = await listGrants(deps, connector)
    if (grants.every(({ tokens }) => tokens === null)) continue
    const startRevocation = await prepareRevocation(deps, connector)
    await clearGrants(deps, connector, ['tokens'])
    await disconnectConnector(deps, connector)
    startRevocation()
  }
}

async function findRevocation(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  { issuer, tokens, discovery }: Grant,
): Promise<Revocation | undefined> {
  if (tokens === null || discovery === null) return undefined
  const metadata: Partial<OAuthMetadata> = discovery.state?.authorizationServerMetadata ?? {}
  if (metadata.revocation_endpoint === undefined) return undefined
  // A client secret that belongs to another server is not sent, so nothing can be revoked here.
  const client = await new ConnectorOAuth(deps, connector)
    .clientInformation({ issuer })
    .catch(() => undefined)
  if (client === undefined) return undefined
  return {
    endpoint: assertSecureTokenEndpoint(metadata.revocation_endpoint),
    authMethods:
      metadata.revocation_endpoint_auth_methods_supported ??
      metadata.token_endpoint_auth_methods_supported ??
      [],
    client,
    tokens: tokens.tokens,
  }
}

/** Revokes the refresh token first, since most servers revoke the whole grant with it. */
async function revoke(deps: ConnectorDeps, url: URL, revocation: Revocation): Promise<void> {
  const { refresh_token, access_token } = revocation.tokens
  try {
    if (refresh_token !== undefined) await send(deps, url, revocation, refresh_token, 'refresh_token')
    await send(deps, url, revocation, access_token, 'access_token')
  } catch (error) {
    if (!deps.closing.aborted) deps.onError(error)
  }
}

async function send(
  { guards, closing }: ConnectorDeps,
  url: URL,
  { endpoint, client, authMethods }: Revocation,
  token: string,
  token_type_hint: string,
): Promise<void> {
  const form = new URLSearchParams({ token, token_type_hint })
  const headers = new Headers({ accept: 'application/json' })
  authenticate(client, authMethods, form, headers)
  const response = await withTimeout(closing, requestTimeoutMs, (signal) =>
    fetchByOrigin(url, guards)(endpoint, { method: 'POST', headers, body: form, signal }),
  )
  await response.body?.cancel()
  if (!response.ok) throw new Error(`Tokens could not be revoked at ${endpoint.origin} (${response.status}).`)
}

/** Adds the client's credentials in the way that the server supports. */
function authenticate(
  client: StoredOAuthClientInformation,
  supported: readonly string[],
  form: URLSearchParams,
  headers: Headers,
): void {
  const { client_id, client_secret = '' } = client
  const method = selectClientAuthMethod(client, [...supported])
  if (method === 'client_secret_basic') {
    headers.set('authorization', `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`)
    return
  }
  form.set('client_id', client_id)
  if (method === 'client_secret_post') form.set('client_secret', client_secret)
}
