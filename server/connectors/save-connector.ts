import type { ConnectorInput } from '@yonder/contract/connector'
import { type Actor, ownedBy } from '../access/access.ts'
import { refuseTakenName } from '../db/refuse-taken-name.ts'
import { changeSecret, toOrigin } from '../db/secrets/credential.ts'
import { clientSecretContext, connectorTokenContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import { lockUser } from '../identity/users/user-store.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/new-id.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { changeHeaders, hasAuthorization } from './connector-headers.ts'
import type { ConnectorLimits } from './connector-limits.ts'
import { requireUnreserved, slugName } from './connector-name.ts'
import {
  emptyConnector,
  insertConnector,
  listConnectors,
  requireConnector,
  updateConnector,
  type ConnectorChange,
} from './connector-store.ts'
import { deleteGrant } from './oauth/grant-store.ts'
import { replacePermissions } from './tools/change-permissions.ts'
import { deleteGrants } from './tools/grant-store.ts'
import { replaceTools } from './tools/tool-store.ts'

type Deps = Pick<ConnectorDeps, 'database' | 'sealer' | 'now' | 'settings' | 'onRenamed'>

/**
 * Creates a connector that is not connected yet.
 * @throws AppError `name_taken`, `conflict`, `invalid_request`
 */
export async function createConnector(
  { database: { db, dialect }, sealer, now, settings }: Deps,
  user: Actor,
  input: ConnectorInput,
): Promise<ConnectorRow> {
  const maxConnectors = settings.limits.maxConnectorsPerUser
  requireTimeLimit(settings.limits, input, null)
  requireUnreserved(input.name)
  return refuseTakenName(dialect, takenMessage(input.name), () =>
    db.transaction().execute(async (trx) => {
      await lockUser(trx, user)
      const others = await listConnectors(trx, user)
      if (others.filter(({ is_default }) => is_default === 0).length >= maxConnectors) {
        throw new AppError(
          'conflict',
          `You have reached the limit of ${maxConnectors} connectors. Delete one to add another.`,
        )
      }
      const slugs = new Set(others.map(({ slug }) => slug))
      const owned = { id: newId(), ...ownedBy(user) }
      const connector: ConnectorRow = {
        ...owned,
        is_default: 0,
        slug: slugName(input.name, slugs),
        // Later than all others, so that connectors are listed in order of creation even within one millisecond.
        created_at: Math.max(now(), ...others.map((other) => other.created_at + 1)),
        ...applyInput(sealer, { ...owned, ...emptyConnector }, input),
      }
      await insertConnector(trx, connector)
      await replacePermissions(trx, connector, input, { ...settings, now })
      return connector
    }),
  )
}

function takenMessage(name: string): string {
  return `You already have a connector named "${name}".`
}

/** Replaces the input's credentials for default connectors, which have none. */
const noCredentials = { token: undefined, client_id: undefined, client_secret: undefined, headers: undefined }

/**
 * Changes a connector. Of a default connector, only the lists of allowed and blocked tools can be changed. The user's
 * row is locked, so that the later one of two simultaneous changes sees the tools that the other has blocked.
 * @throws AppError `not_found`, `forbidden`, `name_taken`, `conflict`, `invalid_request`
 */
export async function changeConnector(
  { database: { db, dialect }, sealer, now, settings, onRenamed }: Deps,
  user: Actor,
  name: string,
  input: ConnectorInput,
): Promise<ConnectorRow> {
  const write = (): Promise<ConnectorRow> =>
    db.transaction().execute(async (trx) => {
      await lockUser(trx, user)
      const connector = await requireConnector(trx, user, name)
      requireEditable(connector, input)
      requireTimeLimit(settings.limits, input, connector.time_limit)
      const change =
        connector.is_default === 1
          ? applyInput(sealer, connector, { ...input, ...noCredentials })
          : applyInput(sealer, connector, input)
      await updateConnector(trx, user, connector.id, change)
      const rules = { ...settings, now }
      // As with the list, what was allowed while every other tool ran, or asked, is taken back.
      if (change.asks !== connector.asks || change.url !== connector.url)
        await deleteGrants(trx, user, { connector_id: connector.id })
      if (change.url === connector.url) await replacePermissions(trx, connector, input, rules)
      else {
        // A form repeats the tools allowed at the old address, which are not allowed at the new one.
        await replacePermissions(trx, connector, { ...input, allow_tools: null }, rules)
        await replaceTools(trx, connector, [])
        await deleteGrant(trx, connector)
      }
      return { ...connector, ...change }
    })
  // An unchanged name is not checked, since a default connector's own name is reserved.
  const isRenamed = input.name !== name
  if (isRenamed) requireUnreserved(input.name)
  const changed = await refuseTakenName(dialect, takenMessage(input.name), write)
  if (isRenamed) onRenamed(user.id)
  return changed
}

/**
 * Applies an input to a connector. With another address the connector is another server: its credentials are removed
 * unless the input contains new ones, and tools need approval unless the user now allows all. Changed credentials
 * increase `credential_version`, so that connections with the old ones are no longer used.
 * @throws AppError `invalid_request`
 */
function applyInput(
  sealer: Sealer,
  stored: Pick<ConnectorRow, keyof ConnectorChange | 'id' | 'user_id'>,
  input: ConnectorInput,
): ConnectorChange {
  const addressChanged = input.url !== stored.url
  const credentials = {
    token: changeSecret(sealer, {
      field: 'token',
      context: connectorTokenContext(stored),
      stored: stored.token,
      input: input.token,
      address: toOrigin(input.url),
      addressChanged,
    }),
    client_id: changeClientId(stored, input, addressChanged),
    client_secret: changeSecret(sealer, {
      field: 'client_secret',
      context: clientSecretContext(stored),
      stored: stored.client_secret,
      input: input.client_secret,
      // A client secret belongs to the authorization server of its first use, which is not known yet.
      address: null,
      addressChanged,
    }),
    headers: changeHeaders(sealer, stored, {
      input: input.headers,
      address: toOrigin(input.url),
      addressChanged,
    }),
  }
  if (credentials.token !== null && hasAuthorization(sealer, { ...stored, headers: credentials.headers })) {
    throw new AppError(
      'invalid_request',
      'headers: the token is sent as the header Authorization, so remove the token or that header',
    )
  }
  const credentialsChanged =
    addressChanged ||
    credentials.token !== stored.token ||
    credentials.client_id !== stored.client_id ||
    credentials.client_secret !== stored.client_secret ||
    credentials.headers !== stored.headers
  const keepsState = !addressChanged && (!credentialsChanged || stored.status === 'connected')
  return {
    name: input.name,
    url: input.url,
    ...credentials,
    asks: needsApproval(stored, input),
    credential_version: stored.credential_version + (credentialsChanged ? 1 : 0),
    status: keepsState ? stored.status : 'disconnected',
    error_message: keepsState ? stored.error_message : null,
    call_error: credentialsChanged ? null : stored.call_error,
    notice: addressChanged ? null : stored.notice,
    tools_expire_at: credentialsChanged ? null : stored.tools_expire_at,
    tools_read_at: credentialsChanged ? 0 : stored.tools_read_at,
    era: addressChanged ? null : stored.era,
    time_limit: input.time_limit === undefined ? stored.time_limit : input.time_limit,
    pictures: input.pictures === undefined ? stored.pictures : Number(input.pictures),
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

/**
 * No list (`null`) counts for a new address only if the connector had a list before. Otherwise the user chose to have
 * none for the old address, and the form only repeats it.
 */
function needsApproval(
  stored: Pick<ConnectorRow, 'asks' | 'url'>,
  { allow_tools, url }: ConnectorInput,
): number {
  const isMoved = stored.url !== '' && url !== stored.url
  if (isMoved) return allow_tools === null && stored.asks === 1 ? 0 : 1
  if (allow_tools === undefined) return stored.asks
  return allow_tools === null ? 0 : 1
}

/**
 * Checks that a connector can be deleted: default connectors belong to the product and cannot.
 * @throws AppError `forbidden`
 */
export function requireDeletable(connector: Pick<ConnectorRow, 'is_default' | 'name'>): void {
  if (connector.is_default === 1) {
    throw new AppError(
      'forbidden',
      `"${connector.name}" is a default connector, which cannot be deleted. You can disconnect it instead.`,
    )
  }
}

/**
 * Checks a new time limit. A stored one may be longer than the operator allows by now; calls then end earlier.
 * @throws AppError `invalid_request`
 */
function requireTimeLimit(
  { maxCallMs }: Pick<ConnectorLimits, 'maxCallMs'>,
  { time_limit: limit }: ConnectorInput,
  stored: number | null,
): void {
  if (limit === undefined || limit === null || limit === stored || limit * 1_000 <= maxCallMs) return
  throw new AppError(
    'invalid_request',
    `time_limit: can be at most ${Math.floor(maxCallMs / 1_000)} seconds on this server`,
  )
}

/**
 * Checks a change: of a default connector, a user can change only which of its tools are allowed or blocked for this
 * user.
 * @throws AppError `forbidden`
 */
function requireEditable(
  connector: Pick<ConnectorRow, 'is_default' | 'name' | 'url'>,
  input: ConnectorInput,
): void {
  if (connector.is_default === 0) return
  const setsCredential = Boolean(
    input.token || input.client_id || input.client_secret || input.headers?.length,
  )
  if (input.name === connector.name && input.url === connector.url && !setsCredential) return
  throw new AppError(
    'forbidden',
    `"${connector.name}" is a default connector, of which only the allowed and blocked tools can be changed.`,
  )
}
