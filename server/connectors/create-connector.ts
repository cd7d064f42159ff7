import type { ConnectorInput } from '@yonder/contract/connector'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { Database } from '../db/database.ts'
import { newId } from '../lib/new-id.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import { AppError } from '../lib/app-error.ts'
import { allowTools } from './tools/allow-tools.ts'
import { countCustomConnectors, insertConnector, listConnectors, lockConnectors } from './connector-store.ts'
import type { Owner } from './connector-store.ts'
import { emptyConnector, fillConnector } from './fill-connector.ts'
import { nameConnector, slugName } from './connector-name.ts'

export interface CreateConnectorOptions {
  readonly sealer: Sealer
  /** Names that default connectors have, in lower case. */
  readonly reservedNames: ReadonlySet<string>
  readonly maxConnectors: number
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Creates a connector that is not connected yet.
 * @throws AppError `name_taken`, `conflict` when the user has too many, `invalid_request`
 */
export async function createConnector(
  { db, dialect }: Database,
  user: Owner,
  input: ConnectorInput,
  { sealer, reservedNames, maxConnectors, now }: CreateConnectorOptions,
): Promise<ConnectorRow> {
  return nameConnector({ dialect, reservedNames }, input.name, () =>
    db.transaction().execute(async (trx) => {
      await lockConnectors(trx, user)
      if ((await countCustomConnectors(trx, user)) >= maxConnectors) {
        throw new AppError('conflict', `You have ${maxConnectors} connectors, which is the most. Delete one.`)
      }
      const others = await listConnectors(trx, user)
      const slugs = new Set(others.map(({ slug }) => slug))
      const connector: ConnectorRow = {
        id: newId(),
        user_id: user.id,
        is_default: 0,
        slug: slugName(input.name, slugs),
        // Later than all others, so that connectors are listed in order of creation even within one millisecond.
        created_at: Math.max(now, ...others.map((other) => other.created_at + 1)),
        ...fillConnector(sealer, emptyConnector, input),
      }
      await insertConnector(trx, connector)
      await allowTools(trx, connector, input)
      return connector
    }),
  )
}
