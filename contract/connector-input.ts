import type { Connector, ConnectorInput } from './connector.ts'

/** A stored connector as the input of an update (§7.16), without its allowed tools. Free of zod for the browser's bundle. */
export function toConnectorInput(connector: Connector): ConnectorInput {
  const { name, url, token, client_id, client_secret, status, is_default } = connector
  return { name, url, token, client_id, client_secret, status, is_default }
}
