import type { Actor } from '../../access/access.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { disconnectConnector } from '../connector-state.ts'
import { listConnectors } from '../connector-store.ts'
import { ConnectorOAuth } from './connector-oauth.ts'
import { clearGrants, listGrants, type Grant } from './grant-store.ts'
import { canRevoke, createRevocation, revoke, type Revocation } from './revocation.ts'

/**
 * Reads the grants of a connector before they are deleted. Returns a function that revokes them in the background at
 * the servers that support it; a failed revocation is only reported to `onError`.
 */
export async function prepareRevocation(deps: ConnectorDeps, connector: ConnectorRow): Promise<() => void> {
  const url = new URL(connector.url)
  const grants = await listGrants(deps, connector)
  const found = grants.map((grant) =>
    // A grant that cannot be revoked must not prevent the others from being revoked.
    findRevocation(deps, connector, grant).catch((error: unknown) => {
      deps.onError(error)
      return undefined
    }),
  )
  const revocations = (await Promise.all(found)).filter((each) => each !== undefined)
  return () => {
    for (const revocation of revocations) void revoke(deps, url, revocation)
  }
}

/** Revokes the grants of all connectors of a user, and disconnects the connectors that had tokens. */
export async function revokeAllGrants(deps: ConnectorDeps, user: Actor): Promise<void> {
  const { db } = deps.database
  for (const connector of await listConnectors(db, user)) {
    const grants = await listGrants(deps, connector)
    if (grants.every(({ tokens }) => tokens === null)) continue
    const startRevocation = await prepareRevocation(deps, connector)
    await clearGrants(deps, connector, ['tokens'])
    await disconnectConnector(deps, connector)
    startRevocation()
  }
}

async function findRevocation(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  grant: Grant,
): Promise<Revocation | undefined> {
  const { issuer } = grant
  if (!canRevoke(grant)) return undefined
  // Without a client nothing can be revoked, for example when its secret belongs to another authorization server.
  const client = await new ConnectorOAuth(deps, connector)
    .clientInformation({ issuer })
    .catch(() => undefined)
  return client === undefined ? undefined : createRevocation(grant, client)
}
