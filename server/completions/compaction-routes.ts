import { ClientId } from '@yonder/contract/chat'
import { Compaction, CompactionInput, CompactionRewrite } from '@yonder/contract/compaction'
import { z } from 'zod'
import { requireBot } from '../bots/bot-store.ts'
import { requireChat } from '../chats/chat-store.ts'
import { deleteCompaction, requireCompaction, updateCompaction } from '../chats/compaction-store.ts'
import { presentCompaction } from '../chats/present-chat.ts'
import { type Api, route } from '../http/api.ts'
import { closeSignal } from '../http/close-signal.ts'
import { requireUser } from '../identity/authenticate.ts'
import { AppError } from '../lib/app-error.ts'
import type { CompletionRoutesDeps } from './completion-routes.ts'
import { heldCompaction, rewriteCompaction } from './prompt/rewrite-compaction.ts'

const params = z.object({ id: ClientId, compactionId: ClientId })

/** Registers the routes that change the summaries of older messages. */
export function registerCompactionRoutes(
  api: Api,
  { completions: deps, perMinute, onChatChanged }: Omit<CompletionRoutesDeps, 'sse'>,
): void {
  const { db } = deps.database

  api.put(
    '/api/chats/:id/compactions/:compactionId',
    route('owner', 'Change a summary of older messages', ['conflict'], {
      params,
      body: CompactionInput,
      response: { 200: Compaction },
    }),
    async (request) => {
      const user = requireUser(request)
      const { id, compactionId } = request.params
      const { content, time } = request.body
      await requireChat(db, user, id)
      const change = { content, edited: 1, written_at: deps.now(), held_until: null }
      const seen = time === undefined ? undefined : Date.parse(time)
      const isChanged = await updateCompaction(deps.database, { chat_id: id, id: compactionId }, change, seen)
      const row = await requireCompaction(db, id, compactionId)
      if (!isChanged)
        throw seen !== undefined && seen !== row.written_at ? changedCompaction() : heldCompaction()
      onChatChanged(user.id, id)
      return presentCompaction(row)
    },
  )

  api.delete(
    '/api/chats/:id/compactions/:compactionId',
    route('owner', 'Delete a summary', [], { params, response: { 204: z.null() } }),
    async (request, reply) => {
      const user = requireUser(request)
      const { id, compactionId } = request.params
      await requireChat(db, user, id)
      await deleteCompaction(db, id, compactionId)
      onChatChanged(user.id, id)
      return reply.status(204).send(null)
    },
  )

  api.post(
    '/api/chats/:id/compactions/:compactionId/rewrite',
    {
      ...route(
        'owner',
        'Let a bot write a summary again',
        ['conflict', 'bot_misconfigured', 'upstream_error'],
        {
          params,
          body: CompactionRewrite,
          response: { 200: Compaction },
        },
      ),
      config: { perMinute },
    },
    async (request, reply) => {
      const user = requireUser(request)
      const { id, compactionId } = request.params
      await requireChat(db, user, id)
      const row = await requireCompaction(db, id, compactionId)
      const bot = await requireBot(db, user, request.body.botName)
      const rewrite = {
        user,
        bot,
        row,
        closed: closeSignal(reply.raw),
        onChanged: () => onChatChanged(user.id, id),
      }
      return presentCompaction(await rewriteCompaction(deps, rewrite))
    },
  )
}

function changedCompaction(): AppError {
  return new AppError(
    'conflict',
    'The summary was changed in the meantime, so your text was not saved. Save again to replace the newer one.',
  )
}
