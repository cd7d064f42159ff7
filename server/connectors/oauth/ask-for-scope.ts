import { computeScopeUnion, isStrictScopeSuperset } from '@modelcontextprotocol/client'
import type { InsufficientScopeError } from '@modelcontextprotocol/client'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { ConnectorOAuth } from './connector-oauth.ts'
import type { ConsentRequest } from './consent-request.ts'
import { runAuth } from './run-auth.ts'

/**
 * Starts a consent to a larger scope when the server refused a request because of an insufficient scope: now
 * (`refusal`) or during an earlier call. Returns whether the user has to consent; returns false for a scope that is
 * already granted.
 */
export async function askForScope(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  consent: ConsentRequest,
  refusal?: InsufficientScopeError,
): Promise<boolean> {
  if (connector.token !== null || connector.is_default === 1) return false
  const oauth = new ConnectorOAuth(deps, connector, { request: consent })
  const wanted = refusal === undefined ? await oauth.wantedScope() : (refusal.requiredScope ?? null)
  const granted = (await oauth.tokens())?.scope
  const scope = computeScopeUnion(granted, wanted ?? undefined)
  if (wanted === null || scope === undefined || !isStrictScopeSuperset(scope, granted)) return false
  const url = deps.guards.userSupplied.requireUrl(connector.url)
  await runAuth(deps, oauth, url, {
    scope,
    forceReauthorization: true,
    resourceMetadataUrl: refusal?.resourceMetadataUrl,
  })
  return consent.authorizationUrl !== null
}

/**
 * Stores the scope that a call lacked, so that connecting again requests it. Returns false when it is already granted.
 */
export async function rememberScope(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  { requiredScope }: InsufficientScopeError,
): Promise<boolean> {
  const oauth = new ConnectorOAuth(deps, connector)
  const granted = (await oauth.tokens())?.scope
  if (
    requiredScope === undefined ||
    !isStrictScopeSuperset(computeScopeUnion(granted, requiredScope), granted)
  ) {
    return false
  }
  await oauth.wantScope(requiredScope)
  return true
}
