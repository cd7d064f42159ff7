import { InsufficientScopeError } from '@modelcontextprotocol/client'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { changeState, setDisconnected, storeCallError } from './connector-state.ts'
import { connectionKey, connectionPrefix } from './mcp/connection-pool.ts'
import { explainFailure } from './mcp/explain-failure.ts'
import { requestMissingScope } from './oauth/authorize-server.ts'
import type { ConsentRequest } from './oauth/consent-request.ts'
import { fetchTools } from './tools/refresh-tools.ts'

/**
 * Connects a connector at the user's request. When the server needs consent first, the connector is disconnected, and
 * `consent.authorizationUrl` is set to the page where the user consents, or `consent.originsToConfirm` to the
 * origins that the user has to confirm first. When the connector's integration is missing or fails,
 * `authorizationUrl` is the page of integrations.
 * @throws AppError with the reason, which is also stored in the connector's row
 */
export async function connectConnector(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  consent: ConsentRequest,
): Promise<void> {
  deps.shared.backoff.reset(connectionKey(connector))
  // The user has to connect the integration of this connector when it is not connected or its calls fail. A server in
  // this process lists its tools without the account, so a list would not show whether the account works.
  if ((await deps.builtIns.readIntegration(connector)).state !== 'working')
    return requestIntegration(deps, consent)
  await deps.shared.pool.drop(connectionPrefix(connector))
  try {
    if (await listOrRequestScope(deps, connector, consent)) return await setDisconnected(deps, connector)
    deps.shared.unanswered.delete(connectionKey(connector))
    await storeCallError(deps, connector, null)
  } catch (error) {
    if (needsUser(consent)) return setDisconnected(deps, connector)
    const failure = explainFailure(error, connector)
    if (failure.code === 'not_connected') {
      await storeCallError(deps, connector, failure.message)
      return requestIntegration(deps, consent)
    }
    await changeState(deps, connector, {
      status: 'failed',
      error_message: failure.message,
    })
    throw failure
  }
}

/** Lists the tools. Returns true when the user has to consent to a larger scope first. */
async function listOrRequestScope(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  consent: ConsentRequest,
): Promise<boolean> {
  if (await requestMissingScope(deps, connector, consent)) return true
  try {
    await fetchTools(deps, connector, { signal: deps.closing, consent })
    return false
  } catch (error) {
    if (!(error instanceof InsufficientScopeError) || needsUser(consent)) throw error
    if (await requestMissingScope(deps, connector, consent, error)) return true
    throw error
  }
}

/** Whether the user has to consent, or to confirm an address first. */
function needsUser({ authorizationUrl, originsToConfirm }: ConsentRequest): boolean {
  return authorizationUrl !== null || originsToConfirm.length > 0
}

/** Makes the response lead to the settings of integrations, where the user can connect the connector's integration. */
function requestIntegration({ settings }: Pick<ConnectorDeps, 'settings'>, consent: ConsentRequest): void {
  consent.authorizationUrl = new URL('/settings/integrations', settings.publicUrl)
}
