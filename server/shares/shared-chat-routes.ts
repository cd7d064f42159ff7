import { SharedChat } from '@yonder/contract/share'
import type { Database } from '../db/database.ts'
import { AnyId } from '../http/api.ts'
import type { Api } from '../http/api.ts'
import { limitWrites } from '../http/rate-limits.ts'
import { presentSharedChat, requireSharedPath } from './shared-chat.ts'

export interface SharedChatRoutesDeps {
  readonly database: Database
}

export interface SharedChatRoutesOptions {
  /** Reads per minute from one address. */
  readonly perMinute: number
}

/** The public route of a shared chat (§7.9). Its scope has no authentication, so a token in the request is ignored. */
export function registerSharedChatRoutes(
  api: Api,
  { database }: SharedChatRoutesDeps,
  { perMinute }: SharedChatRoutesOptions,
): void {
  limitWrites(api, perMinute, (request) => request.ip)
  // Also set on errors: a cached response would outlive the link.
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
