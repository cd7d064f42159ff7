import { ClientId } from '@yonder/contract/chat'
import { OwnShareList, ShareResponse, ShareRequest } from '@yonder/contract/share'
import { z } from 'zod'
import type { Database } from '../db/database.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import { requireUser } from '../identity/authenticate.ts'
import { createShare, presentShare, revokeShare } from './share-link.ts'
import { listShares } from './share-store.ts'

export interface ShareRoutesDeps {
  readonly database: Database
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Registers the routes that create, list and revoke the links of a user. */
export function registerShareRoutes(api: Api, { database: { db }, now }: ShareRoutesDeps): void {
  api.post(
    '/api/share/:chatId',
    route('owner', 'Share a chat up to a message', ['conflict'], {
      params: z.object({ chatId: ClientId }),
      body: ShareRequest,
      response: { 200: ShareResponse },
    }),
    async (request) => {
      const { chatId } = request.params
      const { messageId } = request.body
      return { shareId: await createShare(db, requireUser(request), { chatId, messageId }, now()) }
    },
  )

  api.get(
    '/api/shares',
    route('user', 'List the links to shared chats', [], { response: { 200: OwnShareList } }),
    async (request) => ({
      shares: (await listShares(db, requireUser(request))).map(presentShare),
    }),
  )

  api.delete(
    '/api/share/:id',
    route('owner', 'Revoke a link', [], { params: AnyId, response: { 204: z.null() } }),
    async (request, reply) => {
      await revokeShare(db, requireUser(request), request.params.id)
      return reply.status(204).send(null)
    },
  )
}
