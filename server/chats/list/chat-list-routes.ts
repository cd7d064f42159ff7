import { ChatMarks, ListedChats, ListedChatsQuery } from '@yonder/contract/chat-list'
import type { Database } from '../../db/database.ts'
import { type Api, route } from '../../http/api.ts'
import { requireUser } from '../../identity/authenticate.ts'
import { readChatList, readMarks } from './read-chat-list.ts'

/** Registers the routes of the list beside the chat. */
export function registerChatListRoutes(api: Api, { db }: Database): void {
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
}
