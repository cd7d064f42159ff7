import type { ChatList } from '@yonder/contract/chat'
import type { Database } from '../../db/database.ts'
import type { User } from '../../identity/user.ts'
import { countChats, listChatIds } from '../chat-store.ts'
import { mostCounted } from './chat-finder.ts'
import type { ChatFinder } from './chat-finder.ts'
import { splitWords } from './split-words.ts'
import { summarizeChats } from './summarize-chats.ts'

export interface ChatQuery {
  readonly search: string
  /** From 1. */
  readonly page: number
  readonly limit: number
}

export type SearchChats = (user: User, query: ChatQuery) => Promise<ChatList>

/** A person's chats, newest first; with a search those in which every word occurs (§7.8). */
export function createChatSearch({ db }: Database, findChats: ChatFinder): SearchChats {
  return async (user, { search, page, limit }) => {
    const words = splitWords(search)
    const offset = (page - 1) * limit
    const found =
      words.length === 0
        ? {
            ids: await listChatIds(db, user, { offset, limit }),
            total: await countChats(db, user, mostCounted),
          }
        : await findChats({ userId: user.id, words, offset, limit })
    return { chats: await summarizeChats(db, user, found.ids), total: found.total, page, limit }
  }
}
