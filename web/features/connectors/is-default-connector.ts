import type { Connector } from '@yonder/contract/connector'

/** One that comes with the product: it stands first and is neither edited nor deleted (§2.56, §6.4). */
export function isDefaultConnector({ is_default, name }: Connector): boolean {
  return is_default || name === 'default'
}
