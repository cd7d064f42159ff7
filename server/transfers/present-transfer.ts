import { ImportPreview, ImportResult, type Transfer } from '@yonder/contract/transfer'
import { z } from 'zod'
import type { TransferRow } from '../db/tables/tables.ts'
import { keptMs } from './run-transfers.ts'
import { filesOf } from './transfer-store.ts'

/** The column `report` of an import. */
export const ImportReport = z.object({ preview: ImportPreview, result: ImportResult.optional() })
export type ImportReport = z.infer<typeof ImportReport>

/** Presents an export or an import to its owner. */
export function presentTransfer(row: TransferRow): Transfer {
  return {
    id: row.id,
    state: row.state,
    files: filesOf(row).map(({ id, name, size }) => ({ name, size, uploaded: id !== null })),
    done: row.done,
    total: row.total,
    created_time: new Date(row.created_at).toISOString(),
    expires_time: new Date(row.created_at + keptMs).toISOString(),
    ...(row.error !== null && { error: row.error }),
    ...(row.report !== null && ImportReport.parse(JSON.parse(row.report))),
  }
}
