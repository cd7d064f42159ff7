import type { ToolCallList, ToolCallQuery } from '@yonder/contract/connector'
import type { z } from 'zod'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { Db } from '../../db/database.ts'
import type { Owner } from '../connector-store.ts'
import { presentToolCall } from './present-tool-call.ts'
import { listToolCalls } from './tool-call-store.ts'

/** A page of the record of what a connector's tools were called for. */
export async function listConnectorCalls(
  db: Db,
  user: Owner,
  connector: Pick<ConnectorRow, 'id'>,
  { before, limit }: z.infer<typeof ToolCallQuery>,
): Promise<ToolCallList> {
  const [time, id] = before?.split('.') ?? []
  const after = time === undefined || id === undefined ? undefined : { started_at: Number(time), id }
  const calls = await listToolCalls(db, user, connector.id, { after, limit })
  const last = calls.length < limit ? undefined : calls.at(-1)
  return {
    calls: calls.map(presentToolCall),
    next: last === undefined ? null : `${last.started_at}.${last.id}`,
  }
}
