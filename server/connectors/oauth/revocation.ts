import {
  assertSecureTokenEndpoint,
  selectClientAuthMethod,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { withTimeout } from '../../lib/abort.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { fetchByOrigin } from '../mcp/server-fetch.ts'
import { readRevocationMetadata, type GrantData, type RevocationMetadata } from './grant-store.ts'

const requestTimeoutMs = 15_000

/** The data for a revocation request (RFC 7009). */
export interface Revocation {
  readonly endpoint: URL
  readonly authMethods: readonly string[]
  readonly client: StoredOAuthClientInformation
  readonly tokens: StoredOAuthTokens
}

/** Whether a grant has tokens of a server that supports revoking them. */
export function canRevoke(grant: GrantData): boolean {
  return grant.tokens !== null && metadataOf(grant).revocation_endpoint !== undefined
}

/**
 * Collects what a request to revoke a grant needs; undefined when the grant cannot be revoked. `client` is the client
 * that got the tokens.
 * @throws when the address for revocations is not secure
 */
export function createRevocation(
  grant: GrantData,
  client: StoredOAuthClientInformation,
): Revocation | undefined {
  const metadata = metadataOf(grant)
  if (grant.tokens === null || metadata.revocation_endpoint === undefined) return undefined
  return {
    endpoint: assertSecureTokenEndpoint(metadata.revocation_endpoint),
    authMethods:
      metadata.revocation_endpoint_auth_methods_supported ??
      metadata.token_endpoint_auth_methods_supported ??
      [],
    client,
    tokens: grant.tokens.tokens,
  }
}

function metadataOf({ discovery }: GrantData): RevocationMetadata {
  return discovery === null ? {} : readRevocationMetadata(discovery)
}

/**
 * Revokes the refresh token first, since most servers revoke the whole grant with it. `url` is the connector's address.
 * Never rejects: a failure is reported to `onError`, unless the process is shutting down.
 */
export async function revoke(deps: ConnectorDeps, url: URL, revocation: Revocation): Promise<void> {
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
