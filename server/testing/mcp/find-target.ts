import type { Actor } from '../../access/access.ts'
import { findConnector } from '../../connectors/connector-store.ts'
import type { CallTarget } from '../../connectors/tools/adapt-tools.ts'
import type { Database } from '../../db/database.ts'

/** Returns the target of a call by the name of its connector, which may be missing. */
export async function findTarget(
  { database }: { readonly database: Pick<Database, 'db'> },
  user: Actor,
  connectorName: string,
  toolName: string,
): Promise<CallTarget> {
  const connector = await findConnector(database.db, user, connectorName)
  return { connectorId: connector?.id ?? 'missing', connectorName, toolName }
}
