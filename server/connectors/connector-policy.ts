import type { ConnectorInput } from '@yonder/contract/connector'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import { AppError } from '../lib/app-error.ts'

/**
 * Checks that a connector can be deleted: default connectors belong to the product and cannot (§6.4).
 * @throws AppError `forbidden`
 */
export function requireDeletable(connector: Pick<ConnectorRow, 'is_default' | 'name'>): void {
  if (connector.is_default === 1) {
    throw new AppError('forbidden', `"${connector.name}" is a default connector: it cannot be deleted.`)
  }
}

/**
 * Checks a change: of a default connector, a user can change only which of its tools need approval for this user.
 * @throws AppError `forbidden`
 */
export function requireEditable(
  connector: Pick<ConnectorRow, 'is_default' | 'name' | 'url'>,
  input: ConnectorInput,
): void {
  if (connector.is_default === 0) return
  if (input.name === connector.name && input.url === connector.url && !input.token && !input.client_id) return
  throw new AppError(
    'forbidden',
    `"${connector.name}" is a default connector: only its allowed tools can be changed.`,
  )
}
