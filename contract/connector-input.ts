import type { Connector, ConnectorInput } from './connector.ts'

/**
 * A stored connector as the input of an update (§7.16), without its allowed tools. This module does not import zod, so
 * that the browser's bundle does not contain it.
 */
export function toConnectorInput(connector: Connector): ConnectorInput {
  const { name, url, token, client_id, client_secret, status, is_default } = connector
  return { name, url, token, client_id, client_secret, status, is_default }
}
