import { ClientId } from '@yonder/contract/chat'
import { SentPrompt } from '@yonder/contract/sent-prompt'
import { z } from 'zod'
import { requireChat } from '../chats/chat-store.ts'
import type { Database } from '../db/database.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { type Api, route } from '../http/api.ts'
import { oneAtATime } from '../http/one-at-a-time.ts'
import { requireUser } from '../identity/authenticate.ts'
import { readSentPrompt } from './prompt/sent-prompt.ts'

const params = z.object({ id: ClientId, messageId: ClientId })

/** Registers the route that shows what the model was given for a reply. */
export function registerPromptRoutes(api: Api, { database }: { readonly database: Database }): void {
  api.get(
    '/api/chats/:id/messages/:messageId/prompt',
    {
      ...route('owner', 'Read what the model was given for a reply', [], {
        params,
        response: { 200: SentPrompt },
      }),
      ...oneAtATime((request) => requireUser(request).id),
    },
    async (request) => {
      const user = requireUser(request)
      const { id, messageId } = request.params
      return readSnapshot(database, async ({ db }) => {
        await requireChat(db, user, id)
        return readSentPrompt(db, user, { chatId: id, messageId })
      })
    },
  )
}
