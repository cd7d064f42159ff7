import { timingSafeEqual } from 'node:crypto'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { connectionKey } from '../mcp/connection-pool.ts'
import { findConnectorById } from '../connector-store.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { refreshTools } from '../tools/refresh-tools.ts'
import { ConnectorOAuth } from './connector-oauth.ts'
import { hashSecret } from './consent-request.ts'
import type { PendingConsent } from './consent-request.ts'
import { takeConsent } from './consent-store.ts'
import { runAuth } from './run-auth.ts'

/** What a browser brings back from an authorization server. */
export interface ReturnedConsent {
  readonly state: string
  readonly code: string | undefined
  readonly error: string | undefined
  /** Who the server says it is. */
  readonly issuer: string | undefined
  /** The secret of the browser that was sent away; undefined in any other. */
  readonly browserKey: string | undefined
}

export type ConsentOutcome = 'connected' | 'denied' | 'expired' | 'failed'

export interface FinishedConsent {
  readonly outcome: ConsentOutcome
  readonly returnTo: string
  /** The connector's name, when it is known whose it is. */
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
  const nowhere = { returnTo: '/settings/connectors', connector: null }
  const row = await takeConsent(deps.database.db, hashSecret(returned.state))
  const isThisBrowser = row !== undefined && isSame(row.browser_hash, hashSecret(returned.browserKey ?? ''))
  if (row === undefined || !isThisBrowser || row.expires_at < deps.now())
    return { outcome: 'expired', ...nowhere }
  const pending = JSON.parse(deps.sealer.open(row.payload)) as PendingConsent
  const connector = await findConnectorById(deps.database.db, { id: row.user_id }, row.connector_id)
  if (connector === undefined || connector.credential_version !== pending.credentialVersion) {
    return { outcome: 'expired', ...nowhere }
  }
  const back = { returnTo: pending.returnTo, connector: connector.name }
  if (returned.error !== undefined || returned.code === undefined) return { outcome: 'denied', ...back }
  try {
    await redeem(deps, connector, pending, returned.code, returned.issuer)
    return { outcome: 'connected', ...back }
  } catch (error) {
    deps.onError(error)
    return { outcome: 'failed', ...back }
  }
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
  deps.shared.backoff.reset(connectionKey(connector))
  await refreshTools(deps, connector)
}

/**
 * The SDK compares issuers when the server published one. Otherwise its address is its issuer: without this check it
 * could send the user on to another server and receive that server's code.
 */
function requireIssuer(discovery: PendingConsent['discovery'], issuer: string | undefined): void {
  if (issuer === undefined || discovery?.authorizationServerMetadata !== undefined) return
  const expected = discovery?.authorizationServerUrl
  if (expected === undefined || new URL(issuer).href !== new URL(expected).href) {
    throw new Error('The code comes from another authorization server.')
  }
}

function isSame(first: string, second: string): boolean {
  return first.length === second.length && timingSafeEqual(Buffer.from(first), Buffer.from(second))
}
