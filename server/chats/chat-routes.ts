import { createHash } from 'node:crypto'
import {
  Chat,
  ChatList,
  ChatListQuery,
  NewChat,
  NewChatQuery,
  SelectedLeaf,
  SelectResponse,
} from '@yonder/contract/chat'
import { findLastShownLeaf, nextSelectedAt } from '@yonder/contract/lib/last-shown-leaf'
import { ownedBy } from '../access/access.ts'
import type { Database, Db } from '../db/database.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import { oneAtATime } from '../http/one-at-a-time.ts'
import { readInPages } from '../http/send-pieces.ts'
import { requireUser } from '../identity/authenticate.ts'
import type { User } from '../identity/user.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/new-id.ts'
import { normalizeText } from '../lib/text.ts'
import { lockProject } from '../projects/project-store.ts'
import { lockChatOnly, insertChat, selectLeaf, restoreDefaultTitle } from './chat-store.ts'
import { listNodes, updateMessage } from './message-store.ts'
import { type ActiveRunReader, readChat } from './present-chat.ts'
import type { SearchChats } from './search/open-search.ts'

export interface ChatRoutesDeps {
  readonly database: Database
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Reads the active run of a chat, on any node. */
  readonly runReader: ActiveRunReader
  readonly searchChats: SearchChats
  /** Notifies the user's live streams of a change to the chat. */
  readonly onChatChanged: (userId: string, chatId: string) => void
}

/** Registers the routes that reserve a chat, read chats and select a branch. */
export function registerChatRoutes(api: Api, deps: ChatRoutesDeps): void {
  const { now, runReader, searchChats, onChatChanged } = deps
  const { db } = deps.database

  api.get(
    '/api/chats',
    route('user', 'List or search the chats', [], {
      querystring: ChatListQuery,
      response: { 200: ChatList },
    }),
    (request) => {
      const { search, page, limit } = request.query
      return searchChats(requireUser(request), { search: normalizeText(search), page, limit })
    },
  )

  api.get(
    '/api/chats/:id',
    {
      ...route('owner', 'Read a chat', ['chat_deleted'], { params: AnyId, response: { 200: Chat } }),
      ...oneAtATime((request) => requireUser(request).id),
    },
    async (request) => {
      const chat = await readChat(deps.database, runReader, requireUser(request), request.params.id)
      return { ...chat, messages: readInPages(chat.messages) }
    },
  )

  // The specification makes this a GET, although it reserves a chat.
  api.get(
    '/api/chat/id',
    {
      ...route('owner', 'Reserve the id of a new chat', [], {
        querystring: NewChatQuery,
        response: { 200: NewChat },
      }),
      config: { isWrite: true },
    },
    async (request) => {
      const user = requireUser(request)
      const { request: key, project } = request.query
      const id = key === undefined ? newId() : chatIdOf(user.id, key)
      const time = now()
      const chat = { id, ...ownedBy(user), selected_message_id: null, created_at: time, updated_at: time }
      const isNew =
        project === undefined
          ? await insertChat(db, chat)
          : await db.transaction().execute(async (trx) => {
              await lockProject(trx, user, project)
              return insertChat(trx, { ...chat, project_id: project })
            })
      if (!isNew) return { id }
      onChatChanged(user.id, id)
      return { id }
    },
  )

  api.post(
    '/api/chat/select-response',
    route('owner', 'Show another branch of a chat', [], {
      body: SelectResponse,
      response: { 200: SelectedLeaf },
    }),
    async (request) => {
      const { chatId, messageId } = request.body
      const user = requireUser(request)
      const leaf = await selectResponse(db, user, { chatId, messageId, now: now() })
      onChatChanged(user.id, chatId)
      return { selected_message_id: leaf }
    },
  )
}

/** Returns the id of the chat that `key` reserves: a hash, so that no user can reserve another user's id. */
function chatIdOf(userId: string, key: string): string {
  return createHash('sha256').update(`${userId}\0${key}`).digest('base64url').slice(0, 22)
}

/**
 * Selects the branch of a message: the message below it that was shown last, or the message itself, becomes the
 * selected leaf. Returns the leaf's id.
 * @throws AppError `not_found`
 */
async function selectResponse(
  db: Db,
  user: User,
  { chatId, messageId, now }: { readonly chatId: string; readonly messageId: string; readonly now: number },
): Promise<string> {
  return db.transaction().execute(async (trx) => {
    // Locks before reading, because another request may append messages, select another branch or delete the chat.
    await lockChatOnly(trx, user, chatId)
    const nodes = await listNodes(trx, chatId)
    if (!nodes.some(({ id }) => id === messageId)) {
      throw new AppError('not_found', 'There is no such message in this chat. Reload the page.')
    }
    const leaf = findLastShownLeaf(nodes, messageId)
    await selectLeaf(trx, chatId, leaf)
    await restoreDefaultTitle(trx, chatId)
    await updateMessage(trx, chatId, leaf, { selected_at: nextSelectedAt(nodes, now) })
    return leaf
  })
}
