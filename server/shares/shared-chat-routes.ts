import { SharedChat } from '@yonder/contract/share'
import type { Database } from '../db/database.ts'
import { AnyId } from '../http/any-id.ts'
import type { Api } from '../http/api.ts'
import { limitWrites } from '../http/rate-limits.ts'
import { presentSharedChat } from './shared-chat.ts'
import { requireSharedPath } from './shared-chat.ts'

export interface SharedChatRoutesDeps {
  readonly database: Database
  /** Reads a minute from one address. */
  readonly perMinute: number
}

/** What everyone may read (§7.9); in a scope without a guard, and a token that comes along is not looked at. */
export function registerSharedChatRoutes(api: Api, { database, perMinute }: SharedChatRoutesDeps): void {
  limitWrites(api, perMinute, (request) => request.ip)
  // On refusals too: an answer that was kept would outlive the link.
  api.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' })
  })

  api.get(
    '/api/share/:id',
    {
      config: { perMinute },
      schema: { security: [], params: AnyId, response: { 200: SharedChat } },
    },
    async (request) => {
      const { id } = request.params
      return presentSharedChat(id, await requireSharedPath(database.db, id))
    },
  )
}
