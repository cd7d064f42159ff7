import type { Connector } from '@yonder/contract/connector'

/** The list with another state of one connector, which had `name` until now. */
export function replaceConnector(
  connectors: readonly Connector[] = [],
  name: string,
  changed: Connector,
): readonly Connector[] {
  return connectors.map((connector) => (connector.name === name ? changed : connector))
}
