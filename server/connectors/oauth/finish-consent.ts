import { timingSafeEqual } from 'node:crypto'
import { ownerOf } from '../../access/access.ts'
import { openJson } from '../../db/secrets/credential.ts'
import { connectorConsentContext } from '../../db/secrets/seal-contexts.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { quoteServer, readErrorCode } from '../../lib/quote-server.ts'
import { hashSecret } from '../../lib/secret.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { changeState } from '../connector-state.ts'
import { findConnectorById } from '../connector-store.ts'
import { connectionKey, connectionPrefix } from '../mcp/connection-pool.ts'
import { explainFailure, quoteRefusal } from '../mcp/explain-failure.ts'
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
  /** What the server says about the error. */
  readonly description?: string | undefined
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
  const words = quoteServer(returned.description ?? '')
  if (returned.error === 'access_denied') {
    if (words !== '') await storeFailure(deps, connector, `The consent was not given.${words}`)
    return { outcome: 'denied', ...known }
  }
  const fail = async (error: unknown, message: string): Promise<FinishedConsent> => {
    deps.onError(error)
    await storeFailure(deps, connector, message)
    return { outcome: 'failed', ...known }
  }
  // Any other error says that the authorization server refused or failed (RFC 6749, section 4.1.2.1).
  if (returned.error !== undefined || returned.code === undefined) {
    const error = describeMissingCode(pending, returned.error)
    return fail(error, error.message + words)
  }
  try {
    await redeem(deps, connector, pending, returned.code, returned.issuer)
    return { outcome: 'connected', ...known }
  } catch (error) {
    return fail(error, explainFailure(error, connector).message)
  }
}

/** Stores why the connector is not connected. Nothing is stored when it is another credential's by now. */
function storeFailure(deps: ConnectorDeps, connector: ConnectorRow, message: string): Promise<void> {
  return changeState(deps, connector, { status: 'failed', error_message: message })
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
  const iss = requireIssuer(pending.discovery, issuer)
  await runAuth(deps, new ConnectorOAuth(deps, connector, { pending }), url, {
    authorizationCode: code,
    iss,
  })
  // The new tokens have increased the version of the credential.
  const current = await findConnectorById(deps.database.db, ownerOf(connector), connector.id)
  if (current === undefined) return
  await deps.shared.pool.drop(connectionPrefix(current))
  deps.shared.backoff.reset(connectionKey(current))
  try {
    await refreshTools(deps, current)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'upstream_refused_key') throw error
    // Without this, the user would be advised to consent again and again.
    const message = `The server refuses the token that its authorization server has just issued. Ask those who run the server.${quoteRefusal(error)}`
    await storeFailure(deps, current, message)
    throw new AppError('upstream_refused_key', message, { cause: error })
  }
}

/**
 * Checks the issuer with which the user came back, and returns it as the metadata writes it. Without this check a server
 * could redirect the user to another server and receive that server's code.
 */
function requireIssuer(
  discovery: PendingConsent['discovery'],
  issuer: string | undefined,
): string | undefined {
  if (issuer === undefined) return undefined
  const expected = discovery?.authorizationServerMetadata?.issuer ?? discovery?.authorizationServerUrl
  // The standard requires a comparison character by character (RFC 9207, section 2.4). A server without metadata has its
  // address as issuer, which we write with a slash.
  if (expected === issuer || expected === `${issuer}/`) return expected
  throw new AppError(
    'upstream_invalid',
    'You came back from another authorization server than the one that you were sent to, so nothing was sent to it. Connect again, and if that happens again, ask those who run the server.',
  )
}
