import type { ConnectorInput } from '@yonder/contract/connector'
import { changeSecret } from '../db/secrets/change-secret.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { ConnectorChange } from './connector-store.ts'

/** What a connector has before it was ever connected. */
const unconnected = {
  status: 'disconnected',
  error_message: null,
  notice: null,
  tools_expire_at: null,
  era: null,
} as const

/** A connector of which nothing was said yet: without a list, so nothing asks. */
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
 * A connector with an input laid over what it had. Another address makes it another server: token, tools and consents
 * were given to the old one, so they go, and the new one asks. Another token ends connections that used the old one.
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
  const known = stored.url !== ''
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
    asks: known && addressChanged ? asksAtNewAddress(stored, input) : asks(stored, input),
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

/** "Run everything" was said of the old address, unless it was not said before now. */
function asksAtNewAddress(stored: Pick<ConnectorRow, 'asks'>, { allow_tools }: ConnectorInput): number {
  return allow_tools === null && stored.asks === 1 ? 0 : 1
}
