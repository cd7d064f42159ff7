import { timingSafeEqual } from 'node:crypto'
import { ownerOf } from '../../access/access.ts'
import { openJson } from '../../db/secrets/credential.ts'
import { connectorConsentContext } from '../../db/secrets/seal-contexts.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { readErrorCode } from '../../lib/quote-server.ts'
import { hashSecret } from '../../lib/secret.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findConnectorById } from '../connector-store.ts'
import { connectionKey, connectionPrefix } from '../mcp/connection-pool.ts'
import { refreshTools } from '../tools/refresh-tools.ts'
import { ConnectorOAuth } from './connector-oauth.ts'
import type { PendingConsent } from './consent-request.ts'
import { takeConsent } from './grant-store.ts'
import { runAuth } from './run-auth.ts'

/** The request of a browser that an authorization server redirected back: its parameters and its cookie. */
export interface ReturnedConsent {
  readonly state: string
  readonly code: string | undefined
  readonly error: string | undefined
  /** The `iss` parameter (RFC 9207). */
  readonly issuer: string | undefined
  /** The key in the consent cookie of this browser, if it has one. */
  readonly browserKey: string | undefined
}

export interface FinishedConsent {
  readonly outcome: 'connected' | 'denied' | 'expired' | 'failed'
  readonly returnTo: string
  /** The connector's name; null when the consent has expired or is unknown. */
  readonly connector: string | null
}

/**
 * Completes a consent when the user comes back. The state is valid once, for ten minutes, in the same browser and for
 * the same connector; the code goes only to the server that the user was sent to.
 */
export async function finishConsent(
  deps: ConnectorDeps,
  returned: ReturnedConsent,
): Promise<FinishedConsent> {
  const unknown = { returnTo: '/settings/connectors', connector: null }
  const row = await takeConsent(deps.database.db, hashSecret(returned.state))
  const browserHash = Buffer.from(hashSecret(returned.browserKey ?? ''))
  const isSameBrowser = row !== undefined && timingSafeEqual(Buffer.from(row.browser_hash), browserHash)
  if (row === undefined || !isSameBrowser || row.expires_at < deps.now())
    return { outcome: 'expired', ...unknown }
  const pending = openJson(deps.sealer, connectorConsentContext(row), row.payload) as
    | PendingConsent
    | undefined
  const connector = await findConnectorById(deps.database.db, ownerOf(row), row.connector_id)
  if (pending === undefined || connector?.credential_version !== pending.credentialVersion) {
    return { outcome: 'expired', ...unknown }
  }
  const known = { returnTo: pending.returnTo, connector: connector.name }
  if (returned.error === 'access_denied') return { outcome: 'denied', ...known }
  // Any other error says that the authorization server refused or failed (RFC 6749, section 4.1.2.1).
  if (returned.error !== undefined || returned.code === undefined) {
    deps.onError(describeMissingCode(pending, returned.error))
    return { outcome: 'failed', ...known }
  }
  try {
    await redeem(deps, connector, pending, returned.code, returned.issuer)
    return { outcome: 'connected', ...known }
  } catch (error) {
    deps.onError(error)
    return { outcome: 'failed', ...known }
  }
}

/**
 * Returns the error for the log, so that the operator can find out why consents fail. Of the server's error, only the
 * code is logged.
 */
function describeMissingCode({ discovery }: PendingConsent, error: string | undefined): Error {
  const url = discovery?.authorizationServerUrl
  const origin = url === undefined ? '' : ` ${new URL(url).origin}`
  const code = error === undefined ? 'none' : (readErrorCode(error) ?? 'not a valid error code')
  return new Error(`The authorization server${origin} returned no authorization code. Its error: ${code}.`)
}

async function redeem(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  pending: PendingConsent,
  code: string,
  issuer: string | undefined,
): Promise<void> {
  const url = deps.guards.userSupplied.requireUrl(connector.url)
  requireIssuer(pending.discovery, issuer)
  await runAuth(deps, new ConnectorOAuth(deps, connector, { pending }), url, {
    authorizationCode: code,
    iss: issuer,
  })
  // The new tokens have increased the version of the credential.
  const current = await findConnectorById(deps.database.db, ownerOf(connector), connector.id)
  if (current === undefined) return
  await deps.shared.pool.drop(connectionPrefix(current))
  deps.shared.backoff.reset(connectionKey(current))
  await refreshTools(deps, current)
}

/**
 * Checks the issuer for a server that published no metadata, whose address is its issuer; for others the SDK does so.
 * Without this check the server could redirect the user to another server and receive that server's code.
 */
function requireIssuer(discovery: PendingConsent['discovery'], issuer: string | undefined): void {
  if (issuer === undefined || discovery?.authorizationServerMetadata !== undefined) return
  const expected = discovery?.authorizationServerUrl
  if (expected === undefined || new URL(issuer).href !== new URL(expected).href) {
    throw new Error('The code comes from another authorization server.')
  }
}
