import type { SendRequest } from '@yonder/contract/completion'
import { findMessage, listPath } from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import type { ChatRow, MessageRow } from '../../db/tables/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { isResult } from '../loop/collect-batch.ts'
import { mostCalls } from '../loop/run-completion.ts'

/** Messages of a turn that are looked through: as many as one run writes, two for each call and its answer. */
const longestTurn = 2 * mostCalls + 1

/**
 * The tool's result that a continuation goes on from (§4.23): the named message, or the newest one of this connector in
 * the turn that the named message, or the selected leaf, ends with. What the request says of its content does not count.
 * @throws AppError `not_found`, `conflict`
 */
export async function requireResult(
  db: Db,
  chat: ChatRow,
  { parentId, server }: Pick<SendRequest, 'parentId' | 'server'>,
): Promise<MessageRow> {
  const end = parentId ?? chat.selected_message_id
  const path = end === null ? [] : await listPath(db, chat.id, end, longestTurn)
  if (parentId !== undefined && parentId !== null && path.length === 0) {
    throw new AppError('not_found', 'There is no such message in this chat.')
  }
  // What a person wrote begins the turn.
  const turn = path.slice(path.findLastIndex((message) => message.role === 'user' && !isResult(message)) + 1)
  const result = turn.findLast((message) => isResult(message) && message.server === server)
  const row = result && (await findMessage(db, chat.id, result.id))
  if (row === undefined) {
    throw new AppError('conflict', `There is no result of "${server ?? ''}" to go on from.`)
  }
  return row
}
