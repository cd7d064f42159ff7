import {
  ChangedChats,
  ChatMarks,
  ChatsChange,
  ChatsPurge,
  ListedChats,
  ListedChatsQuery,
  PurgedChats,
} from '@yonder/contract/chat-list'
import type { Database } from '../../db/database.ts'
import { type Api, route } from '../../http/api.ts'
import { requireUser } from '../../identity/authenticate.ts'
import { requireSelfService } from '../../lib/require-self-service.ts'
import { changeChats, purgeChats } from './change-chats.ts'
import { readChatList, readMarks } from './read-chat-list.ts'

export interface ChatListRoutesDeps {
  readonly database: Pick<Database, 'db' | 'dialect'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether users may delete chats. */
  readonly selfService: boolean
  /** Notifies the user's live streams of changes that lists show of these chats. */
  readonly onChatsChanged: (userId: string, chatIds: readonly string[]) => void
  /** Called after chats were deleted. Their replies must end. */
  readonly onDeleted: () => void
}

/** Registers the routes of the list beside the chat. */
export function registerChatListRoutes(
  api: Api,
  { database, now, selfService, onChatsChanged, onDeleted }: ChatListRoutesDeps,
): void {
  const { db } = database
  api.get(
    '/api/chat-list',
    route('owner', 'List a section of the chats', [], {
      querystring: ListedChatsQuery,
      response: { 200: ListedChats },
    }),
    (request) => readChatList(db, requireUser(request), request.query),
  )

  api.get(
    '/api/chat-list/marks',
    route('user', 'List the chats that want attention', [], { response: { 200: ChatMarks } }),
    (request) => readMarks(db, requireUser(request)),
  )

  api.patch(
    '/api/chats',
    route('owner', 'Change, delete or restore chats in the list', ['forbidden'], {
      body: ChatsChange,
      response: { 200: ChangedChats },
    }),
    async (request) => {
      const user = requireUser(request)
      const isDeletion = request.body.change.deleted === true
      if (isDeletion) requireSelfService(selfService)
      const changed = await changeChats(database, user, request.body, now())
      if (isDeletion) onDeleted()
      onChatsChanged(user.id, changed.ids)
      return changed
    },
  )

  api.post(
    '/api/chats/purge',
    route('owner', 'Delete chats for good that are deleted', ['forbidden'], {
      body: ChatsPurge,
      response: { 200: PurgedChats },
    }),
    async (request) => {
      const user = requireUser(request)
      requireSelfService(selfService)
      const ids = await purgeChats(database, user, request.body)
      onChatsChanged(user.id, ids)
      return { purged: ids.length }
    },
  )
}
