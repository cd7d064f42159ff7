import type { RegenerateRequest } from '@yonder/contract/completion'
import { lockChat } from '../../chats/chat-store.ts'
import { findMessage } from '../../chats/message-store.ts'
import type { BotRow } from '../../db/tables/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { User } from '../../identity/user.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { writeRun } from './write-run.ts'
import type { WrittenRun } from './write-run.ts'

/**
 * Writes another empty reply to a person's message, and its run; the earlier replies stay as siblings.
 * @throws AppError `not_found`, `invalid_request`, `run_active`
 */
export function regenerateReply(
  deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>,
  user: User,
  bot: BotRow,
  { chatId, userMessageId }: RegenerateRequest,
): Promise<WrittenRun> {
  return deps.database.db.transaction().execute(async (trx) => {
    await lockChat(trx, user, chatId, deps.now())
    const question = await findMessage(trx, chatId, userMessageId)
    if (question === undefined) throw new AppError('not_found', 'There is no such message in this chat.')
    if (question.role !== 'user') {
      throw new AppError('invalid_request', 'Only a message of yours can be answered again.')
    }
    return writeRun(trx, deps, user, bot, question)
  })
}
