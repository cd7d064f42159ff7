import type { SendRequest } from '@yonder/contract/completion'
import { textOfContent } from '@yonder/contract/message-text'
import { lockChat, requireChat } from '../../chats/chat-store.ts'
import { appendMessage, findMessage } from '../../chats/message-store.ts'
import { claimPendingCall } from '../../chats/pending-call-store.ts'
import type { Db } from '../../db/database.ts'
import { newId } from '../../lib/new-id.ts'
import type { BotRow, ChatRow, MessageRow } from '../../db/tables/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { User } from '../../identity/user.ts'
import { isResult } from '../loop/collect-batch.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { RunPlace } from '../log/run-cursor.ts'
import { writeRun } from './write-run.ts'
import type { WrittenRun } from './write-run.ts'

/** What became of a request for a reply. */
export type SentMessage =
  | {
      readonly kind: 'written'
      readonly run: WrittenRun
      /** The reply whose call waits no longer, since its person wrote on. */
      readonly denied?: MessageRow | undefined
    }
  /** What was asked for before; the run of that time tells it from `place` on, where one still does. */
  | { readonly kind: 'repeated'; readonly message: MessageRow; readonly place?: RunPlace | undefined }

/**
 * Writes a person's message with an empty reply and its run, all or nothing. The same id with the same content is the
 * same message, however often it comes.
 * @throws AppError `not_found`, `invalid_request`, `conflict`, `run_active`
 */
export async function sendMessage(
  deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>,
  user: User,
  bot: BotRow,
  request: SendRequest,
): Promise<SentMessage> {
  const { db } = deps.database
  const content = textOfContent(request.content)
  if (content.trim() === '') throw new AppError('invalid_request', 'The message is empty.')
  const { chatId } = request
  if (request.id !== undefined) {
    await requireChat(db, user, chatId)
    const earlier = await findRepeated(db, request, content)
    if (earlier !== undefined) return { kind: 'repeated', message: earlier }
  }
  return db.transaction().execute(async (trx) => {
    const chat = await lockChat(trx, user, chatId, deps.now())
    const raced = await findRepeated(trx, request, content)
    if (raced !== undefined) return { kind: 'repeated', message: raced }
    const parent = await findParent(trx, chat, request.parentId)
    const message = await appendMessage(
      trx,
      { chat_id: chatId, id: request.id ?? newId(), role: 'user', content, status: 'complete' },
      parent,
      deps.now(),
    )
    // Whoever writes on instead of allowing a call denies it (§4.22).
    const isDenied = parent?.call_state === 'waiting' && (await claimPendingCall(trx, parent, 'denied'))
    return {
      kind: 'written',
      run: await writeRun(trx, deps, user, bot, message),
      denied: isDenied ? parent : undefined,
    }
  })
}

async function findRepeated(db: Db, request: SendRequest, content: string): Promise<MessageRow | undefined> {
  if (request.id === undefined) return undefined
  const known = await findMessage(db, request.chatId, request.id)
  if (known === undefined) return undefined
  const same =
    known.role === 'user' &&
    known.content === content &&
    (request.parentId === undefined || request.parentId === known.parent_id)
  if (!same) throw new AppError('conflict', 'Another message has this id already.')
  return known
}

/** The message that is answered to: the named one, or the selected leaf. */
async function findParent(
  trx: Db,
  chat: ChatRow,
  parentId: SendRequest['parentId'],
): Promise<MessageRow | null> {
  const id = parentId === undefined ? chat.selected_message_id : parentId
  if (id === null) return null
  const parent = await findMessage(trx, chat.id, id)
  if (parent === undefined) throw new AppError('not_found', 'There is no such message in this chat.')
  if (parent.role !== 'assistant' && !isResult(parent)) {
    throw new AppError('invalid_request', 'A message can only follow a reply, or begin the chat.')
  }
  return parent
}
