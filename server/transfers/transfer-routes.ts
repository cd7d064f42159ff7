import { Transfers } from '@yonder/contract/transfer'
import { z } from 'zod'
import type { Database } from '../db/database.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import { requireUser } from '../identity/authenticate.ts'
import { presentTransfer } from './present-transfer.ts'
import { keptMs } from './run-transfers.ts'
import { cancelTransfer, listTransfers, requireTransfer } from './transfer-store.ts'

export interface TransferRoutesDeps {
  readonly database: Database
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Registers the routes that exports and imports share. */
export function registerTransferRoutes(api: Api, { database: { db }, now }: TransferRoutesDeps): void {
  api.get(
    '/api/transfers',
    route('user', 'Read the last import and the last export', [], { response: { 200: Transfers } }),
    async (request) => {
      const rows = await listTransfers(db, requireUser(request))
      const find = (kind: string) => {
        const row = rows.find((one) => one.kind === kind && one.created_at > now() - keptMs)
        return row === undefined ? null : presentTransfer(row)
      }
      return { export: find('export'), import: find('import') }
    },
  )

  for (const kind of ['export', 'import'] as const)
    api.post(
      `/api/${kind}s/:id/cancel`,
      route('owner', `Cancel an ${kind}`, [], { params: AnyId, response: { 204: z.null() } }),
      async (request, reply) => {
        await cancelTransfer(
          db,
          await requireTransfer(db, requireUser(request), { id: request.params.id, kind }),
          now(),
        )
        return reply.code(204).send(null)
      },
    )
}
