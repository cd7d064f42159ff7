import { Drafts } from '@yonder/contract/draft'
import { z } from 'zod'
import type { Database } from '../../db/database.ts'
import { type Api, route } from '../../http/api.ts'
import { requireUser } from '../../identity/authenticate.ts'
import { lockUser } from '../../identity/users/user-store.ts'
import { listDrafts, replaceDrafts } from './draft-store.ts'

/** Registers the routes that keep what a user has not sent from a sign-out to the next sign-in. */
export function registerDraftRoutes(api: Api, { db }: Pick<Database, 'db'>): void {
  api.get(
    '/api/drafts',
    route('user', 'Read what was not sent', [], { response: { 200: Drafts } }),
    async (request) => ({ drafts: { ...(await listDrafts(db, requireUser(request))) } }),
  )

  api.put(
    '/api/drafts',
    route('user', 'Keep what was not sent', [], { body: Drafts, response: { 204: z.null() } }),
    async (request, reply) => {
      const user = requireUser(request)
      await db.transaction().execute(async (trx) => {
        // Two tabs may sign out at once.
        await lockUser(trx, user)
        await replaceDrafts(trx, user, request.body.drafts)
      })
      return reply.status(204).send(null)
    },
  )
}
