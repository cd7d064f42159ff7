import type { ConnectorInput } from '@yonder/contract/connector'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import { allowTools } from './tools/allow-tools.ts'
import { requireEditable } from './connector-policy.ts'
import { requireConnector, updateConnector } from './connector-store.ts'
import type { Owner } from './connector-store.ts'
import { fillConnector } from './fill-connector.ts'
import { deleteGrants } from './oauth/grant-store.ts'
import { nameConnector } from './connector-name.ts'
import { replaceAllowedTools, replaceTools } from './tools/tool-store.ts'

/** The input's credentials are ignored for default connectors, which have none. */
const noCredentials = { token: undefined, client_id: undefined, client_secret: undefined }

export interface ChangeConnectorOptions {
  readonly sealer: Sealer
  /** Names that default connectors have, in lower case. */
  readonly reservedNames: ReadonlySet<string>
}

/**
 * Changes a connector. Of a default connector, only the list of allowed tools can be changed.
 * @throws AppError `not_found`, `forbidden`, `name_taken`, `conflict`, `invalid_request`
 */
export async function changeConnector(
  { db, dialect }: Database,
  user: Owner,
  name: string,
  input: ConnectorInput,
  { sealer, reservedNames }: ChangeConnectorOptions,
): Promise<ConnectorRow> {
  const write = (): Promise<ConnectorRow> =>
    db.transaction().execute(async (trx) => {
      const connector = await requireConnector(trx, user, name)
      requireEditable(connector, input)
      const change =
        connector.is_default === 1
          ? fillConnector(sealer, connector, { ...input, ...noCredentials })
          : fillConnector(sealer, connector, input)
      await updateConnector(trx, user, connector.id, change)
      if (change.url === connector.url) {
        await allowTools(trx, connector, input)
      } else {
        await replaceTools(trx, connector, [])
        await replaceAllowedTools(trx, connector, [])
        await deleteGrants(trx, connector)
      }
      return { ...connector, ...change }
    })
  // An unchanged name is not checked, since a default connector's own name is reserved.
  return input.name === name
    ? nameConnector({ dialect, reservedNames: new Set() }, name, write)
    : nameConnector({ dialect, reservedNames }, input.name, write)
}
