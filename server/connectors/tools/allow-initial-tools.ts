import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { Db } from '../../db/database.ts'
import { allowTools } from './allow-tools.ts'
import { listAllowedTools, listTools } from './tool-store.ts'

/** Whether nobody has seen this connector's tools yet, and so nobody has chosen which of them ask. */
export async function isUnseen(trx: Db, { id }: Pick<ConnectorRow, 'id'>): Promise<boolean> {
  const [tools, allowed] = [await listTools(trx, [id]), await listAllowedTools(trx, [id])]
  return tools.length === 0 && allowed.length === 0
}

/**
 * Tools of the product's own connectors that run without asking until their person chooses otherwise: they are allowed as
 * they are now, like any others, so that a change asks. Give it a transaction in which the tools are stored.
 */
export async function allowInitialTools(
  trx: Db,
  connector: Pick<ConnectorRow, 'id'>,
  initialTools: readonly string[],
): Promise<void> {
  const known = new Set((await listTools(trx, [connector.id])).map(({ name }) => name))
  await allowTools(trx, connector, { allow_tools: initialTools.filter((name) => known.has(name)) })
}
