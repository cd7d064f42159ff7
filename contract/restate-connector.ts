import type { Connector, ConnectorInput } from './connector.ts'

/** What a change of a connector says again of it, so that the whole of it is sent (§7.16); what is allowed is the change. */
export function restateConnector(connector: Connector): ConnectorInput {
  const { name, url, token, client_id, client_secret, status, is_default } = connector
  return { name, url, token, client_id, client_secret, status, is_default }
}
