import type { RegenerateRequest, SendRequest, StartedEvent } from '@yonder/contract/completion'
import type { Message, MessageContent } from '@yonder/contract/message'
import { countContent, isBlank, isSameContent, textOfContent, toContent } from '@yonder/contract/message-text'
import { ownedBy } from '../../access/access.ts'
import {
  isFull,
  lockChat,
  type LockedChat,
  refuseFullChat,
  requireChat,
  selectLeaf,
  storeDefaultTitle,
} from '../../chats/chat-store.ts'
import { listFiles } from '../../chats/file-store.ts'
import {
  appendMessage,
  contentOf,
  findMessage,
  isToolResult,
  toContentColumns,
} from '../../chats/message-store.ts'
import { presentMessage } from '../../chats/present-chat.ts'
import { claimPendingCall, parseCall, remainingCalls } from '../../chats/tool-call-store.ts'
import type { Db } from '../../db/database.ts'
import type { BotRow, ChatRow, MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/new-id.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { findActiveRun, insertRun } from '../log/run-store.ts'
import { nextStep } from '../loop/run-completion.ts'
import { expireRun } from '../maintenance/end-run.ts'
import type { WrittenRun, RunStep, RunCursor } from '../run.ts'

/** What a request for a reply led to: a new run, or nothing new, because the request repeats an earlier one. */
export type SendOutcome = WrittenReply | RepeatedRequest

interface WrittenReply {
  readonly kind: 'written'
  readonly run: WrittenRun
  readonly denial?: Denial | undefined
}

/** A call that was denied by a message sent instead of an approval. */
export interface Denial {
  /** The reply that made the call. */
  readonly reply: MessageRow
  /** Whether only this call is denied, and not the remaining calls of its batch. */
  readonly isForOneCall: boolean
}

/** A request for a reply that exists already, finished or in progress. */
export interface RepeatedRequest {
  readonly kind: 'repeated'
  /** The message or tool result to which the reply was requested. */
  readonly message: MessageRow
  /** The position of the reply in the log of its run. Without it, `repeatReply` looks for the run. */
  readonly cursor?: RunCursor | undefined
}

type WriteDeps = Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>

/**
 * Writes a user message, an empty reply and its run in one transaction. A message that is sent again with the same id
 * and content is written once.
 * @throws AppError `not_found`, `invalid_request`, `conflict`, `run_active`
 */
export async function sendMessage(
  deps: WriteDeps,
  user: User,
  bot: BotRow,
  request: SendRequest,
): Promise<SendOutcome> {
  const { db } = deps.database
  const content = await readContent(db, user, request)
  if (isBlank(content))
    throw new AppError('invalid_request', 'The message is empty. Write a text and send it again.')
  const { chatId } = request
  if (request.id !== undefined) {
    await requireChat(db, user, chatId)
    const repeated = await findRepeated(db, request, content)
    if (repeated !== undefined) return { kind: 'repeated', message: repeated }
  }
  return db.transaction().execute(async (trx) => {
    const chat = await lockChat(trx, user, chatId, deps.now(), countContent(content))
    const repeated = await findRepeated(trx, request, content)
    if (repeated !== undefined) return { kind: 'repeated', message: repeated }
    const parent = await findParent(trx, chat, request.parentId)
    const message = await appendMessage(
      trx,
      {
        chat_id: chatId,
        id: request.id ?? newId(),
        role: 'user',
        ...toContentColumns(content),
        status: 'complete',
      },
      parent,
      deps.now(),
    )
    // A message that is sent instead of an approval denies the call.
    const denial = parent === null ? undefined : await denyCall(trx, parent, message, request)
    // A message with `denyOne` has no other purpose. The call may have been decided in another tab.
    if (request.denyOne === true && denial === undefined)
      throw new AppError('conflict', 'This call was already allowed or denied. Reload the page.')
    // In a full chat, a call that needs approval can still be denied.
    if (denial === undefined) refuseFullChat(chat)
    const run = await writeReply(trx, deps, user, bot, chat, message)
    if (parent === null) await storeDefaultTitle(trx, chatId, message.content)
    return { kind: 'written', run, denial }
  })
}

/**
 * Reads what a new message contains. What a client says of a file is not trusted: only files of the chat may be sent.
 * @throws AppError `invalid_request` for a part that is neither text nor such a file, because no part is left out
 */
async function readContent(db: Db, user: User, { chatId, content }: SendRequest): Promise<MessageContent> {
  const text = textOfContent(content)
  const others =
    typeof content === 'string' ? [] : content.filter(({ text: own, file }) => own === undefined || file)
  if (others.length === 0) return text
  const stored = await listFiles(db, user, chatId)
  const files = new Map(stored.map(({ message_id: _, ...file }) => [file.id, file]))
  return toContent(
    text,
    others.map((part) => {
      const file = files.get(part.file?.id ?? '')
      if (file === undefined)
        throw new AppError(
          'invalid_request',
          'The message was not sent, because a part of it is neither text nor a file of this chat. Remove that part and send it again.',
        )
      return file
    }),
  )
}

/** Denies the call of the message's parent, if it needs approval. */
async function denyCall(
  trx: Db,
  parent: MessageRow,
  message: MessageRow,
  { denyOne = false }: SendRequest,
): Promise<Denial | undefined> {
  if (parent.call_state !== 'waiting' || parent.call === null) return undefined
  const call = parseCall(parent.call)
  const isForOneCall = denyOne && call.rest.length > 0
  const claim = {
    state: 'denied',
    ...(isForOneCall ? { call: { ...call, deniedBy: message.id } } : {}),
  } as const
  return (await claimPendingCall(trx, parent, claim)) ? { reply: parent, isForOneCall } : undefined
}

async function findRepeated(
  db: Db,
  request: SendRequest,
  content: MessageContent,
): Promise<MessageRow | undefined> {
  if (request.id === undefined) return undefined
  const existing = await findMessage(db, request.chatId, request.id)
  if (existing === undefined) return undefined
  const isSame =
    existing.role === 'user' &&
    isSameContent(contentOf(existing), content) &&
    (request.parentId === undefined || request.parentId === existing.parent_id)
  if (!isSame)
    throw new AppError(
      'conflict',
      'This message was already sent, with another text or in another place. Reload the page to see it, and send this text as a new message.',
    )
  return existing
}

/** Returns the parent of the new message: `parentId`, by default the selected leaf; null for none. */
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
    throw new AppError(
      'invalid_request',
      'A message can only follow a reply or start the chat. Select a reply and send the message again.',
    )
  }
  return parent
}

/**
 * Writes another empty reply to a user message or a tool's result, and its run; the earlier replies remain as siblings.
 * @throws AppError `not_found`, `invalid_request`, `conflict`, `run_active`
 */
export function regenerateReply(
  deps: WriteDeps,
  user: User,
  bot: BotRow,
  { chatId, userMessageId }: RegenerateRequest,
): Promise<SendOutcome> {
  return deps.database.db.transaction().execute(async (trx) => {
    const chat = await lockChat(trx, user, chatId, deps.now())
    refuseFullChat(chat)
    const parent = await findMessage(trx, chatId, userMessageId)
    if (parent === undefined) throw noSuchMessage()
    if (parent.role !== 'user') {
      throw new AppError(
        'invalid_request',
        'Only a reply to a message of yours or to a tool result can be regenerated. Reload the page and try again.',
      )
    }
    return { kind: 'written', run: await writeReply(trx, deps, user, bot, chat, parent) }
  })
}

export function noSuchMessage(): AppError {
  return new AppError('not_found', 'There is no such message in this chat. Reload the page.')
}

/**
 * Writes an empty reply to a message and the run that will fill it. The caller has locked the chat (`lockChat`).
 * @throws AppError `run_active`
 */
export async function writeReply(
  trx: Db,
  deps: WriteDeps,
  user: User,
  bot: BotRow,
  chat: LockedChat,
  parent: MessageRow,
): Promise<WrittenRun> {
  const chatId = chat.id
  const reply = await appendMessage(
    trx,
    {
      chat_id: chatId,
      id: newId(),
      role: 'assistant',
      content: '',
      status: 'streaming',
      model: bot.model,
      bot_id: bot.id,
      bot: bot.name,
    },
    parent,
    deps.now(),
  )
  return writeRun(trx, deps, user, {
    chat,
    parent,
    reply: presentMessage(reply),
    first: await findFirstStep(trx, parent),
    latestTime: reply.unix_timestamp,
  })
}

/**
 * Returns the run's first step: after a tool's result, or a message that denied only one call, the remaining calls of
 * the same batch come before the model.
 */
async function findFirstStep(trx: Db, parent: MessageRow): Promise<RunStep> {
  const before =
    parent.parent_id === null ? undefined : await findMessage(trx, parent.chat_id, parent.parent_id)
  if (before === undefined || before.call === null) return { kind: 'call_model' }
  const call = parseCall(before.call)
  const isSameTurn = isToolResult(parent) || call.deniedBy === parent.id
  return isSameTurn ? nextStep(remainingCalls(call)) : { kind: 'call_model' }
}

/**
 * Runs a write that requires a chat without an active run. When the active run belongs to a node that died, ends that
 * run and retries.
 * @throws AppError `run_active`
 */
export async function writeWhenFree<Result>(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'now'>,
  chatId: string,
  write: () => Promise<Result>,
): Promise<Result> {
  const { db, dialect } = deps.database
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'run_active') throw error
    const active = await findActiveRun(db, dialect, chatId)
    if (active?.expired !== true) throw error
    await expireRun(deps, active.id)
    return write()
  }
}

export interface RunToWrite {
  readonly chat: LockedChat
  /** The user message or tool result under which the reply is. */
  readonly parent: MessageRow
  readonly reply: Message
  /** What the run does first with the reply. */
  readonly first: RunStep
  /** The time of the chat's latest message, in milliseconds since 1970. */
  readonly latestTime: number
}

/**
 * Writes a run for a reply that is already stored, and selects the reply. The caller has locked the chat (`lockChat`).
 * @throws AppError `run_active`
 */
export async function writeRun(
  trx: Db,
  { database, nodeId, now }: Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>,
  user: User,
  { chat, parent, reply, first, latestTime }: RunToWrite,
): Promise<WrittenRun> {
  const { dialect } = database
  const chatId = chat.id
  await selectLeaf(trx, chatId, reply.id)
  const started: StartedEvent = {
    type: 'started',
    seq: 1,
    user_message: presentMessage(parent),
    assistant_message: reply,
  }
  const run = {
    chat_id: chatId,
    ...ownedBy(user),
    message_id: reply.id,
    node_id: nodeId,
    started_at: now(),
  }
  const id = await insertRun(trx, dialect, run, JSON.stringify(started)).catch((error: unknown) => {
    // A unique index allows one active run per chat.
    throw dialect.isUniqueViolation(error) ? replyInProgress() : error
  })
  await dialect.notifyRuns(trx, [id])
  const { project_instructions: projectInstructions } = chat
  return { id, chatId, isChatFull: isFull(chat), projectInstructions, started, first, latestTime }
}

function replyInProgress(): AppError {
  return new AppError('run_active', 'A reply is still being written in this chat. Wait for it, or stop it.')
}
