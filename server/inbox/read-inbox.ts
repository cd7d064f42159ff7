import { setImmediate as nextTurn } from 'node:timers/promises'
import { type InboxItem, maxInboxItems } from '@yonder/contract/inbox'
import type { Message } from '@yonder/contract/message'
import { countChars } from '@yonder/contract/message-text'
import { findMessage } from '../chats/message-store.ts'
import { presentMessage } from '../chats/present-chat.ts'
import type { OpenQuestion } from '../completions/log/list-questions.ts'
import { askedAtOf, isExpired } from '../completions/tools/explain-decision.ts'
import type { Database } from '../db/database.ts'
import type { User } from '../identity/user.ts'
import { countWaiting, findAskedFor, findTitle, listWaiting, type WaitingPlace } from './inbox-store.ts'
import { presentInboxItem } from './present-inbox.ts'

export interface InboxDeps {
  readonly database: Database
  /** Returns the running calls of the user that ask a question. */
  readonly listQuestions: (user: User) => Promise<readonly OpenQuestion[]>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What waits for a user. Its items are read in pages of one. */
export interface ReadInbox {
  readonly items: AsyncIterable<readonly InboxItem[]>
  readonly total: number
}

/** The size of the texts of all items in bytes, unless one alone has more. What is decided is always shown whole. */
const maxInboxBytes = 2_000_000

type InboxPlace = WaitingPlace & { readonly question?: Message }

/**
 * Returns the newest of what waits for the user: calls that need approval, and running calls that ask a question. The
 * items are read one by one, because each can have a megabyte.
 */
export async function readInbox(deps: InboxDeps, user: User): Promise<ReadInbox> {
  const { db } = deps.database
  const waiting = await listWaiting(db, user)
  const count = waiting.length < maxInboxItems ? waiting.length : await countWaiting(db, user)
  const questions = await listQuestionPlaces(deps, user)
  const newest = [...waiting, ...questions].sort((a, b) => b.time - a.time).slice(0, maxInboxItems)
  return { items: readItems(deps, takeUpToSize(newest)), total: count + questions.length }
}

async function listQuestionPlaces(deps: InboxDeps, user: User): Promise<InboxPlace[]> {
  const places: InboxPlace[] = []
  for (const { chatId, message } of await deps.listQuestions(user)) {
    const chat = await findTitle(deps.database.db, user, chatId)
    if (chat === undefined) continue
    places.push({
      chat_id: chatId,
      chat_title: chat.title,
      id: message.id,
      time: message.call?.running_since ?? message.unix_timestamp,
      bytes: countChars(message),
      question: message,
    })
  }
  return places
}

function takeUpToSize(places: readonly InboxPlace[]): readonly InboxPlace[] {
  let bytes = 0
  const end = places.findIndex((place, index) => {
    bytes += place.bytes
    return index > 0 && bytes > maxInboxBytes
  })
  return end === -1 ? places : places.slice(0, end)
}

async function* readItems(
  { database: { db }, now }: InboxDeps,
  places: readonly InboxPlace[],
): AsyncGenerator<readonly InboxItem[]> {
  for (const { chat_id: chatId, chat_title: chatTitle, id, time, question } of places) {
    await nextTurn()
    const row = question === undefined ? await findMessage(db, chatId, id) : undefined
    // It may have been decided meanwhile.
    if (question === undefined && (row?.call_state !== 'waiting' || isExpired(row, now()))) continue
    const message = question ?? (row && presentMessage(row))
    if (message === undefined) continue
    const askedAt = row === undefined ? time : askedAtOf(row)
    const askedFor = await findAskedFor(db, chatId, id)
    yield [presentInboxItem({ chatId, chatTitle, message, askedFor, askedAt })]
  }
}
