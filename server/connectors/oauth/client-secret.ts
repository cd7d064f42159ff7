import type { StoredOAuthClientInformation } from '@modelcontextprotocol/client'
import { ownerOf } from '../../access/access.ts'
import { openJson, sealCredential, type Credential } from '../../db/secrets/credential.ts'
import { clientSecretContext } from '../../db/secrets/seal-contexts.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findConnectorById, replaceClientSecret } from '../connector-store.ts'

type Deps = Pick<ConnectorDeps, 'database' | 'sealer'>

/**
 * Returns our client at the authorization server `issuer`: the one that the user entered, else the registered one.
 * @throws AppError as `openClientSecret` does
 */
export async function findClient(
  deps: Deps,
  connector: ConnectorRow,
  issuer: string,
  registered: StoredOAuthClientInformation | undefined,
): Promise<StoredOAuthClientInformation | undefined> {
  const { client_id, client_secret } = connector
  if (client_id === null) return registered?.issuer === issuer ? registered : undefined
  if (client_secret === null) return { client_id, issuer }
  return {
    client_id,
    client_secret: await openClientSecret(deps, connector, client_secret, issuer),
    issuer,
  }
}

/**
 * Returns the client secret that the user entered, for the authorization server `issuer`. The secret belongs to the
 * authorization server of its first use: only the connector's server names it, and could name another one later.
 * @throws AppError `upstream_refused_key` when the secret belongs to another authorization server or cannot be
 *   decrypted; `conflict` when it was removed meanwhile
 */
export async function openClientSecret(
  deps: Deps,
  connector: ConnectorRow,
  sealed: string,
  issuer: string,
): Promise<string> {
  const context = clientSecretContext(connector)
  const stored = openJson(deps.sealer, context, sealed) as Credential | undefined
  if (stored === undefined) {
    throw new AppError(
      'upstream_refused_key',
      `The stored client secret of "${connector.name}" cannot be decrypted, because SECRET_KEY has changed. Enter the client secret again.`,
    )
  }
  const { secret, address } = stored
  if (address !== null) {
    if (isSameIssuer(address, issuer)) return secret
    throw new AppError(
      'upstream_refused_key',
      `The client secret of "${connector.name}" was not sent, because it was first used with the authorization server ${address}, and the connector now names ${issuer}. If you trust that server, enter the client secret again.`,
    )
  }
  const bound = sealCredential(deps.sealer, context, { secret, address: issuer })
  if (await replaceClientSecret(deps.database.db, connector, sealed, bound)) return secret
  // Another request has used the secret first, or the user has changed it.
  const current = await findConnectorById(deps.database.db, ownerOf(connector), connector.id)
  if (!current?.client_secret) {
    throw new AppError(
      'conflict',
      `The client secret of "${connector.name}" has just been removed. Connect this connector again.`,
    )
  }
  return openClientSecret(deps, current, current.client_secret, issuer)
}

/** The issuer of a server without metadata is its address, with or without a final slash. */
function isSameIssuer(first: string, second: string): boolean {
  return first.replace(/\/$/, '') === second.replace(/\/$/, '')
}
