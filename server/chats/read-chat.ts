import type { Chat } from '@yonder/contract/chat'
import type { Db } from '../db/database.ts'
import type { User } from '../identity/user.ts'
import { requireChat } from './chat-store.ts'
import { listMessages } from './message-store.ts'
import { isSameMoment, presentChat } from './present-chat.ts'
import type { PartialReply } from './present-chat.ts'

/** Looks at a chat that somebody is writing into, before it is given without its run. */
const mostLooks = 5

/**
 * A person's chat with what its run has written so far. Both are read until they show the same moment, so that a reader
 * who follows the run from there misses nothing and gets nothing twice.
 * @throws AppError `not_found`
 */
export async function readChat(
  db: Db,
  readRun: (chatId: string) => Promise<PartialReply | undefined>,
  user: User,
  chatId: string,
): Promise<Chat> {
  await requireChat(db, user, chatId)
  for (let look = 1; ; look++) {
    const reply = await readRun(chatId)
    // Read after the run: what ended in between is whole here.
    const rows = await listMessages(db, chatId)
    const chat = await requireChat(db, user, chatId)
    if (reply === undefined || isSameMoment(reply, rows)) return presentChat(chat, rows, reply)
    if (look === mostLooks) return presentChat(chat, rows, undefined)
  }
}
