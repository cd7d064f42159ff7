import { RunEvent, type SendRequest } from '@yonder/contract/completion'
import { lockChat, refuseFullChat, requireChat } from '../../chats/chat-store.ts'
import { findMessage, listPath, listChildren, isToolResult } from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import type { BotRow, ChatRow, MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { findActiveRun, listEventsMentioning } from '../log/run-store.ts'
import { maxCalls } from '../loop/run-completion.ts'
import type { RunCursor } from '../run.ts'
import { noSuchMessage, writeReply, type SendOutcome } from './send-message.ts'

/**
 * Messages of a turn that are searched: about as many as a run can write, a reply and a result for each call, and the
 * last reply.
 */
const maxTurnMessages = 2 * maxCalls + 1

/**
 * Continues from a tool's result. When a run has already continued from it, that run is returned instead of a
 * second one.
 * @throws AppError `not_found`, `conflict`, `run_active`
 */
export async function continueRun(
  deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>,
  user: User,
  bot: BotRow,
  request: SendRequest,
): Promise<SendOutcome> {
  const { db, dialect } = deps.database
  const { chatId } = request
  const chat = await requireChat(db, user, chatId)
  const result = await requireResult(db, chat, request)
  const cursor = await findCursor(db, result)
  const active = await findActiveRun(db, dialect, chatId)
  if (cursor !== undefined && active?.id === cursor.runId && !active.expired) {
    return { kind: 'repeated', message: result, cursor }
  }
  return db.transaction().execute(async (trx) => {
    const locked = await lockChat(trx, user, chatId, deps.now())
    const below = await listChildren(trx, chatId, result.id)
    if (below.some(({ role }) => role === 'assistant')) return { kind: 'repeated', message: result, cursor }
    refuseFullChat(locked)
    return { kind: 'written', run: await writeReply(trx, deps, user, bot, locked, result) }
  })
}

/**
 * Returns the tool result that a request continues from: the newest result of the connector `server` in the
 * turn that ends with the message `parentId`, or by default with the selected leaf.
 * @throws AppError `not_found`, `conflict`
 */
export async function requireResult(
  db: Db,
  chat: ChatRow,
  { parentId, server }: Pick<SendRequest, 'parentId' | 'server'>,
): Promise<MessageRow> {
  const end = parentId ?? chat.selected_message_id
  const path = end === null ? [] : await listPath(db, chat.id, end, maxTurnMessages)
  if (parentId !== undefined && parentId !== null && path.length === 0) throw noSuchMessage()
  // A turn begins after the last message that the user wrote.
  const turn = path.slice(
    path.findLastIndex((message) => message.role === 'user' && !isToolResult(message)) + 1,
  )
  for (const { id, server: nameThen } of turn.filter(isToolResult).toReversed()) {
    const result = await findMessage(db, chat.id, id)
    if (result !== undefined && (result.server === server || nameThen === server)) return result
  }
  throw new AppError(
    'conflict',
    `This chat has no tool result of the connector "${server ?? ''}" to continue from. Reload the page.`,
  )
}

/**
 * Returns the position after a result, or after a message of the user that went into a reply, in the log of the newest run
 * that contains it, or the beginning of a run that started from it.
 */
export async function findCursor(db: Db, { chat_id, id }: MessageRow): Promise<RunCursor | undefined> {
  for (const { run_id, seq, event: json } of await listEventsMentioning(db, chat_id, id)) {
    const event = RunEvent.parse(JSON.parse(json))
    const isAdded = event.type === 'tool_result' || event.type === 'message'
    if (isAdded && event.message.id === id) return { runId: run_id, after: seq }
    if (event.type === 'started' && event.user_message.id === id) return { runId: run_id, after: 0 }
  }
  return undefined
}
