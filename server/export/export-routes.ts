import { Readable } from 'node:stream'
import { ChatExportQuery, ExportLink, Transfer } from '@yonder/contract/transfer'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { TransferRow } from '../db/tables/tables.ts'
import { fileResponse, nameParameter, sendFile } from '../files/send-file.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import { oneAtATime } from '../http/one-at-a-time.ts'
import { limitNetworks } from '../http/rate-limits.ts'
import { requireUser } from '../identity/authenticate.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/new-id.ts'
import { requireSelfService } from '../lib/require-self-service.ts'
import { presentTransfer } from '../transfers/present-transfer.ts'
import { keptMs } from '../transfers/run-transfers.ts'
import { filesOf, insertTransfer, requireTransfer } from '../transfers/transfer-store.ts'
import { exportChat } from './export-chat.ts'
import { findUserById } from './export-store.ts'
import { openTicket, sealTicket } from './export-ticket.ts'
import { ofManyMoments } from './read-exported-chat.ts'

export interface ExportRoutesDeps {
  readonly config: Pick<Config, 'selfService' | 'publicUrl'>
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Registers the routes with which users export one chat, or everything. `look` begins with the work of an export. */
export function registerExportRoutes(
  api: Api,
  { config: { selfService, publicUrl }, database, sealer, now }: ExportRoutesDeps,
  { look }: { readonly look: () => void },
): void {
  const { db } = database

  api.post(
    '/api/exports',
    route('user', 'Export everything', ['forbidden', 'conflict'], { response: { 201: Transfer } }),
    async (request, reply) => {
      requireSelfService(selfService, 'export')
      const user = requireUser(request)
      const kind = 'export'
      const id = newId()
      await insertTransfer(db, user, { id, kind, state: 'running', files: '[]', created_at: now() })
      look()
      reply.code(201)
      return presentTransfer(await requireTransfer(db, user, { id, kind }))
    },
  )

  api.post(
    '/api/exports/:id/link',
    route('owner', 'Make a link to an export', ['forbidden', 'conflict'], {
      params: AnyId,
      response: { 200: ExportLink },
    }),
    async (request) => {
      requireSelfService(selfService, 'export')
      const user = requireUser(request)
      const { id } = await requireTransfer(db, user, { id: request.params.id, kind: 'export' }).then((row) =>
        requireDone(row, now()),
      )
      const ticket = sealTicket(sealer, user.id, id, now())
      return { url: `${publicUrl}/api/exports/${id}/file?ticket=${ticket}` }
    },
  )

  api.get(
    '/api/chat/:id/export',
    {
      ...route('owner', 'Export a chat', ['forbidden', 'chat_deleted'], {
        params: AnyId,
        querystring: ChatExportQuery,
        response: fileResponse,
      }),
      ...oneAtATime((request) => requireUser(request).id),
    },
    async (request, reply) => {
      requireSelfService(selfService, 'export')
      const { params, query } = request
      const file = await exportChat(ofManyMoments(database), requireUser(request), params.id, query)
      return reply
        .headers({
          'content-type': file.type,
          'content-disposition': `attachment; ${nameParameter(file.name)}`,
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        })
        .send(Readable.from(file.content, { objectMode: false }))
    },
  )
}

/**
 * Registers the route that sends an export to whoever has its link: a browser saves a file of any size only from an
 * address, to which it sends no token. `perMinute` limits a network.
 */
export function registerExportFileRoutes(
  api: Api,
  { config: { selfService }, database, sealer, now }: ExportRoutesDeps,
  { perMinute }: { readonly perMinute: number },
): void {
  limitNetworks(api, perMinute)
  api.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  api.get(
    '/api/exports/:id/file',
    {
      ...route('public', 'Read an export', ['forbidden', 'not_found', 'rate_limited'], {
        params: AnyId,
        querystring: z.object({ ticket: z.string().max(1_000).optional().default('') }),
        response: fileResponse,
      }),
      config: { perMinute },
    },
    async (request, reply) => {
      requireSelfService(selfService, 'export')
      const { id } = request.params
      const userId = openTicket(sealer, request.query.ticket, id, now())
      const user = userId === undefined ? undefined : await findUserById(database.db, userId)
      // Whoever may no longer sign in may not read this either.
      if (user === undefined || user.disabled_at !== null) throw noSuchExport()
      const row = await requireTransfer(database.db, user, { id, kind: 'export' })
      const { file } = requireDone(row, now())
      return sendFile(request, reply, { ...file, type: 'application/zip', width: null }, database.bytes)
    },
  )
}

/** @throws AppError `not_found` when it is deleted by now, `conflict` when it is not done */
function requireDone(row: TransferRow, now: number) {
  if (row.created_at <= now - keptMs) throw noSuchExport()
  const [file] = filesOf(row)
  if (row.state !== 'done' || file?.id === undefined || file.id === null)
    throw new AppError('conflict', 'This export is not done. Wait for it, or start another one.')
  return { id: row.id, file: { ...file, id: file.id } }
}

function noSuchExport(): AppError {
  return new AppError('not_found', 'There is no such export, or its link is no longer valid. Make a new one.')
}
