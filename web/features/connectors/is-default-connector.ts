import type { Connector } from '@yonder/contract/connector'

/** Whether a connector comes with the product. It is listed first and cannot be edited or deleted. */
export function isDefaultConnector({ is_default, name }: Connector): boolean {
  return is_default || name === 'default'
}
