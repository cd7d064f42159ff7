import type { Connector, ConnectorInput } from './connector.ts'

/**
 * Converts a stored connector to the input of an update, without its allowed and blocked tools. This module
 * does not import zod, which keeps zod out of the bundle of the browser.
 */
export function toConnectorInput(connector: Connector): ConnectorInput {
  const { name, url, token, client_id, client_secret, status, is_default } = connector
  return { name, url, token, client_id, client_secret, status, is_default }
}
