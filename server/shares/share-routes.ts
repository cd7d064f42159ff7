import { setImmediate as nextTurn } from 'node:timers/promises'
import { ClientId } from '@yonder/contract/chat'
import { type OwnShare, OwnShareList, ShareChange, ShareResponse, ShareRequest } from '@yonder/contract/share'
import { z } from 'zod'
import type { Database } from '../db/database.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import { readInPages } from '../http/send-pieces.ts'
import { requireUser } from '../identity/authenticate.ts'
import { changeShare, createShare, presentShare, revokeShare } from './share-link.ts'
import { listShares, type ListedShare } from './share-store.ts'

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
      return createShare(db, requireUser(request), { ...request.body, chatId }, now())
    },
  )

  api.get(
    '/api/shares',
    route('user', 'List the links to shared chats', [], { response: { 200: OwnShareList } }),
    async (request) => ({
      shares: readInPages(presentPages(await listShares(db, requireUser(request)))),
    }),
  )

  api.patch(
    '/api/share/:id',
    route('owner', 'Change what a link shows', [], {
      params: AnyId,
      body: ShareChange,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await changeShare(db, requireUser(request), request.params.id, request.body)
      return reply.status(204).send(null)
    },
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

/** Links whose titles are derived in one turn of the event loop. */
const maxPageShares = 25

async function* presentPages(shares: readonly ListedShare[]): AsyncGenerator<readonly OwnShare[]> {
  for (let from = 0; from < shares.length; from += maxPageShares) {
    yield shares.slice(from, from + maxPageShares).map(presentShare)
    await nextTurn()
  }
}
