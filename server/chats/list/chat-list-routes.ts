import {
  ChangedChats,
  ChatMarks,
  ChatsChange,
  ListedChats,
  ListedChatsQuery,
} from '@yonder/contract/chat-list'
import type { Database } from '../../db/database.ts'
import { type Api, route } from '../../http/api.ts'
import { requireUser } from '../../identity/authenticate.ts'
import { changeChats } from './change-chats.ts'
import { readChatList, readMarks } from './read-chat-list.ts'

export interface ChatListRoutesDeps {
  readonly database: Pick<Database, 'db'>
  /** Notifies the user's live streams of changes that lists show of these chats. */
  readonly onChatsChanged: (userId: string, chatIds: readonly string[]) => void
}

/** Registers the routes of the list beside the chat. */
export function registerChatListRoutes(
  api: Api,
  { database: { db }, onChatsChanged }: ChatListRoutesDeps,
): void {
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
    route('owner', 'Change chats in the list', [], { body: ChatsChange, response: { 200: ChangedChats } }),
    async (request) => {
      const user = requireUser(request)
      const { response, ids } = await changeChats(db, user, request.body)
      onChatsChanged(user.id, ids)
      return response
    },
  )
}
