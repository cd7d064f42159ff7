import type { ConnectorInput } from '@yonder/contract/connector'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import { AppError } from '../lib/app-error.ts'

/**
 * A connector that belongs to the product is not a person's to delete (§6.4).
 * @throws AppError `forbidden`
 */
export function requireDeletable(connector: Pick<ConnectorRow, 'is_default' | 'name'>): void {
  if (connector.is_default === 1) {
    throw new AppError('forbidden', `"${connector.name}" is a default connector: it cannot be deleted.`)
  }
}

/**
 * Of a connector that belongs to the product a person changes only which tools ask, for themselves.
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
