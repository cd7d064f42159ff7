import type { ToolCallRow } from '../../db/tables/connector-tables.ts'
import type { Db } from '../../db/database.ts'
import type { Owner } from '../connector-store.ts'

export async function insertToolCall(db: Db, call: ToolCallRow): Promise<void> {
  await db.insertInto('tool_calls').values(call).execute()
}

/** Stores the outcome of a call. */
export async function updateToolCall(
  db: Db,
  id: string,
  ending: Pick<ToolCallRow, 'outcome' | 'duration' | 'bytes'>,
): Promise<void> {
  await db.updateTable('tool_calls').set(ending).where('id', '=', id).execute()
}

export interface ToolCallPage {
  /** Only calls that come after this one in the list, so older ones. */
  readonly after: Pick<ToolCallRow, 'started_at' | 'id'> | undefined
  readonly limit: number
}

/** Returns the recorded calls of a user's connector, the newest first. */
export function listToolCalls(
  db: Db,
  user: Owner,
  connectorId: string,
  { after, limit }: ToolCallPage,
): Promise<ToolCallRow[]> {
  const calls = db
    .selectFrom('tool_calls')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('connector_id', '=', connectorId)
  const page =
    after === undefined
      ? calls
      : calls.where((where) =>
          where.or([
            where('started_at', '<', after.started_at),
            where.and([where('started_at', '=', after.started_at), where('id', '<', after.id)]),
          ]),
        )
  return page.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}
