import { RunEvent } from '@yonder/contract/completion'
import type { SendRequest } from '@yonder/contract/completion'
import { lockChat, requireChat } from '../../chats/chat-store.ts'
import { listReplies } from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import type { BotRow, MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { requireResult } from './find-result.ts'
import type { RunPlace } from '../log/run-cursor.ts'
import { findActiveRun, listTurnEvents } from '../log/run-store.ts'
import type { SentMessage } from './send-message.ts'
import { writeRun } from './write-run.ts'

/**
 * Goes on from a tool's result (§4.23), once: a run that goes on from it already, or did, is the continuation.
 * @throws AppError `not_found`, `conflict`, `run_active`
 */
export async function continueRun(
  deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>,
  user: User,
  bot: BotRow,
  request: SendRequest,
): Promise<SentMessage> {
  const { db, dialect } = deps.database
  const { chatId } = request
  const chat = await requireChat(db, user, chatId)
  const result = await requireResult(db, chat, request)
  const place = await findPlace(db, result)
  const active = await findActiveRun(db, dialect, chatId)
  if (place !== undefined && active?.id === place.runId && !active.expired) {
    return { kind: 'repeated', message: result, place }
  }
  return db.transaction().execute(async (trx) => {
    await lockChat(trx, user, chatId, deps.now())
    const [reply] = await listReplies(trx, chatId, result.id)
    if (reply !== undefined) return { kind: 'repeated', message: result, place }
    return { kind: 'written', run: await writeRun(trx, deps, user, bot, result) }
  })
}

/** Where the newest run that knows a result goes on from it. */
async function findPlace(db: Db, { chat_id, id }: MessageRow): Promise<RunPlace | undefined> {
  for (const { run_id, seq, event } of await listTurnEvents(db, chat_id, id)) {
    const told = RunEvent.parse(JSON.parse(event))
    if (told.type === 'tool_result' && told.message.id === id) return { runId: run_id, after: seq }
    if (told.type === 'started' && told.user_message.id === id) return { runId: run_id, after: 0 }
  }
  return undefined
}
