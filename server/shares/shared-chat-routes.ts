import { SharedChat } from '@yonder/contract/share'
import type { Database } from '../db/database.ts'
import { fileResponse, sendFile } from '../files/send-file.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import { oneAtATime } from '../http/one-at-a-time.ts'
import { limitNetworks } from '../http/rate-limits.ts'
import { readInPages } from '../http/send-pieces.ts'
import { readSharedChat } from './shared-chat.ts'
import { requireSharedFile } from './shared-files.ts'

/** Registers the public route of a shared chat. `perMinute` limits a network. It ignores a token. */
export function registerSharedChatRoutes(
  api: Api,
  database: Database,
  { perMinute }: { readonly perMinute: number },
): void {
  limitNetworks(api, perMinute)
  // Errors get these headers too. A cached chat could be read after its link is revoked.
  api.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' })
  })

  api.get(
    '/api/share/:id',
    {
      ...route('public', 'Read a shared chat', ['not_found', 'rate_limited'], {
        params: AnyId,
        response: { 200: SharedChat },
      }),
      config: { perMinute },
      // One key for all links, because anyone can open them.
      ...oneAtATime(() => 'share'),
    },
    async (request) => {
      const chat = await readSharedChat(database, request.params.id)
      return { ...chat, messages: readInPages(chat.messages) }
    },
  )

  api.get(
    '/api/share/:id/files/:fileId',
    {
      ...route('public', 'Read a file of a shared chat', ['not_found', 'rate_limited'], {
        params: AnyId.extend({ fileId: AnyId.shape.id }),
        response: fileResponse,
      }),
      config: { perMinute },
    },
    async (request, reply) => {
      const { id, fileId } = request.params
      return sendFile(request, reply, await requireSharedFile(database.db, id, fileId), database.bytes)
    },
  )
}
