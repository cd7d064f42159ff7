import type { ConnectorInput } from '@yonder/contract/connector'
import { changeSecret } from '../db/secrets/change-secret.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { ConnectorChange } from './connector-store.ts'

/** The state of a connector that was never connected. */
const unconnected = {
  status: 'disconnected',
  error_message: null,
  notice: null,
  tools_expire_at: null,
  era: null,
} as const

/** A new connector before any input: without a list of allowed tools, so no tool needs approval. */
export const emptyConnector: ConnectorChange = {
  ...unconnected,
  name: '',
  url: '',
  token: null,
  client_id: null,
  client_secret: null,
  asks: 0,
  credential_version: 0,
}

/**
 * Applies an input to a connector. With another address the connector is another server: the token, tools and grants of
 * the old server are removed, and tools need approval. Changed credentials increase `credential_version`, so that
 * connections with the old ones are no longer used.
 * @throws AppError `invalid_request`
 */
export function fillConnector(
  sealer: Sealer,
  stored: Pick<ConnectorRow, keyof ConnectorChange>,
  input: ConnectorInput,
): ConnectorChange {
  const addressChanged = input.url !== stored.url
  const change = (field: 'token' | 'client_secret') =>
    changeSecret(sealer, { field, stored: stored[field], given: input[field], addressChanged })
  const credentials = {
    token: change('token'),
    client_id: changeClientId(stored, input, addressChanged),
    client_secret: change('client_secret'),
  }
  const isExisting = stored.url !== ''
  const credentialsChanged =
    addressChanged ||
    credentials.token !== stored.token ||
    credentials.client_id !== stored.client_id ||
    credentials.client_secret !== stored.client_secret
  const keepsState = !addressChanged && (!credentialsChanged || stored.status === 'connected')
  return {
    name: input.name,
    url: input.url,
    ...credentials,
    asks: isExisting && addressChanged ? asksAtNewAddress(stored, input) : asks(stored, input),
    credential_version: stored.credential_version + (credentialsChanged ? 1 : 0),
    status: keepsState ? stored.status : unconnected.status,
    error_message: keepsState ? stored.error_message : null,
    notice: addressChanged ? null : stored.notice,
    tools_expire_at: credentialsChanged ? null : stored.tools_expire_at,
    era: addressChanged ? null : stored.era,
  }
}

function changeClientId(
  stored: Pick<ConnectorRow, 'client_id'>,
  { client_id }: ConnectorInput,
  addressChanged: boolean,
): string | null {
  if (client_id === undefined || client_id === stored.client_id)
    return addressChanged ? null : stored.client_id
  return client_id === '' ? null : client_id
}

function asks(stored: Pick<ConnectorRow, 'asks'>, { allow_tools }: ConnectorInput): number {
  if (allow_tools === undefined) return stored.asks
  return allow_tools === null ? 0 : 1
}

/**
 * "Allow all tools" (`null`) applies at the new address only if this input is the first to say so. Otherwise the user
 * said it about the old address, and the form only repeats it.
 */
function asksAtNewAddress(stored: Pick<ConnectorRow, 'asks'>, { allow_tools }: ConnectorInput): number {
  return allow_tools === null && stored.asks === 1 ? 0 : 1
}
