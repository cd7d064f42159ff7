import type { RegenerateRequest, SendRequest } from '@yonder/contract/completion'
import { textOfContent } from '@yonder/contract/message-text'
import { lockChat, requireChat } from '../../chats/chat-store.ts'
import { appendMessage, findMessage } from '../../chats/message-store.ts'
import { presentMessage } from '../../chats/present-message.ts'
import { parseCall } from '../../chats/stored-call.ts'
import { claimPendingCall } from '../../chats/pending-call-store.ts'
import type { Db } from '../../db/database.ts'
import type { BotRow, ChatRow, MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/new-id.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { RunCursor } from '../log/read-run-events.ts'
import type { WrittenRun } from '../loop/run-actions.ts'
import type { RunStep } from '../loop/run-completion.ts'
import { isToolResult } from '../tools/tool-result.ts'
import { writeRun } from './start-run.ts'

/** What became of a request for a reply. */
export type SentMessage =
  | {
      readonly kind: 'written'
      readonly run: WrittenRun
      /** The reply whose pending approval call the message denied. */
      readonly denied?: MessageRow | undefined
    }
  /** The request was sent before; its run is followed from `cursor`, where it is still stored. */
  | { readonly kind: 'repeated'; readonly message: MessageRow; readonly cursor?: RunCursor | undefined }

type WriteDeps = Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>

/**
 * Writes a user message with an empty reply and its run, all or nothing. The same id with the same content is the same
 * message, however often it is sent.
 * @throws AppError `not_found`, `invalid_request`, `conflict`, `run_active`
 */
export async function sendMessage(
  deps: WriteDeps,
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
    // A message instead of an approval denies the call (§4.22).
    const isDenied = parent?.call_state === 'waiting' && (await claimPendingCall(trx, parent, 'denied'))
    return {
      kind: 'written',
      run: await writeReply(trx, deps, user, bot, message),
      denied: isDenied ? parent : undefined,
    }
  })
}

async function findRepeated(db: Db, request: SendRequest, content: string): Promise<MessageRow | undefined> {
  if (request.id === undefined) return undefined
  const known = await findMessage(db, request.chatId, request.id)
  if (known === undefined) return undefined
  const isSame =
    known.role === 'user' &&
    known.content === content &&
    (request.parentId === undefined || request.parentId === known.parent_id)
  if (!isSame) throw new AppError('conflict', 'Another message has this id already.')
  return known
}

/** Returns the message that the new one follows: the named one, or the selected leaf. */
async function findParent(
  trx: Db,
  chat: ChatRow,
  parentId: SendRequest['parentId'],
): Promise<MessageRow | null> {
  const id = parentId === undefined ? chat.selected_message_id : parentId
  if (id === null) return null
  const parent = await findMessage(trx, chat.id, id)
  if (parent === undefined) throw noSuchMessage()
  if (parent.role !== 'assistant' && !isToolResult(parent)) {
    throw new AppError('invalid_request', 'A message can only follow a reply, or begin the chat.')
  }
  return parent
}

/**
 * Writes another empty reply to a user message, and its run; the earlier replies stay as siblings (§4.24).
 * @throws AppError `not_found`, `invalid_request`, `run_active`
 */
export function regenerateReply(
  deps: WriteDeps,
  user: User,
  bot: BotRow,
  { chatId, userMessageId }: RegenerateRequest,
): Promise<SentMessage> {
  return deps.database.db.transaction().execute(async (trx) => {
    await lockChat(trx, user, chatId, deps.now())
    const parent = await findMessage(trx, chatId, userMessageId)
    if (parent === undefined) throw noSuchMessage()
    if (parent.role !== 'user') {
      throw new AppError('invalid_request', 'Only a message of yours can be answered again.')
    }
    return { kind: 'written', run: await writeReply(trx, deps, user, bot, parent) }
  })
}

export function noSuchMessage(): AppError {
  return new AppError('not_found', 'There is no such message in this chat.')
}

/**
 * Writes an empty reply to a message and the run that will fill it. The caller holds the chat (`lockChat`).
 * @throws AppError `run_active`
 */
export async function writeReply(
  trx: Db,
  deps: WriteDeps,
  user: User,
  bot: BotRow,
  parent: MessageRow,
): Promise<WrittenRun> {
  const chatId = parent.chat_id
  const reply = await appendMessage(
    trx,
    {
      chat_id: chatId,
      id: newId(),
      role: 'assistant',
      content: '',
      status: 'streaming',
      model: bot.model,
      bot: bot.name,
    },
    parent,
    deps.now(),
  )
  return writeRun(trx, deps, user, {
    chatId,
    parent,
    reply: presentMessage(reply),
    first: await findFirstStep(trx, parent),
    latestTime: reply.unix_timestamp,
  })
}

/** After a tool's result the run dispatches the remaining calls of its turn before it calls the model again. */
async function findFirstStep(trx: Db, parent: MessageRow): Promise<RunStep> {
  const caller =
    isToolResult(parent) && parent.parent_id !== null
      ? await findMessage(trx, parent.chat_id, parent.parent_id)
      : undefined
  const calls = caller === undefined || caller.call === null ? [] : parseCall(caller.call).rest
  return calls.length === 0 ? { kind: 'call_model' } : { kind: 'dispatch', calls, continues: true }
}

/** Records that the user denied the call of a reply, and with it the remaining calls of its turn. */
export async function recordDenials(
  { connectors, onError }: Pick<CompletionDeps, 'connectors' | 'onError'>,
  user: User,
  { server, tool, arguments: callArguments, call }: MessageRow,
): Promise<void> {
  const remaining = call === null ? [] : parseCall(call).rest
  const denied = [
    { connectorName: server ?? '', toolName: tool ?? '', arguments: callArguments },
    ...remaining.flatMap(({ target, arguments: text }) =>
      target === undefined ? [] : [{ ...target, arguments: text }],
    ),
  ]
  try {
    for (const each of denied) {
      await connectors.recordDenial(user, each.connectorName, each.toolName, each.arguments)
    }
  } catch (error) {
    // The message is written and its reply is under way: a missing record must not fail them.
    onError(error)
  }
}
