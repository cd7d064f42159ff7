import type { RegenerateRequest, SendRequest, StartedEvent } from '@yonder/contract/completion'
import { maxReasonChars } from '@yonder/contract/lib/call-limits'
import { maxAltChars, maxFilesPerMessage } from '@yonder/contract/lib/file-limits'
import type { Message, MessageContent } from '@yonder/contract/message'
import {
  countContent,
  denialText,
  filesOfContent,
  isBlank,
  isSameContent,
  textOfContent,
  toContent,
} from '@yonder/contract/message-text'
import type { CallDecision } from '@yonder/contract/tool-call'
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
import {
  appendMessage,
  contentOf,
  countReplies,
  findMessage,
  isToolResult,
  toContentColumns,
} from '../../chats/message-store.ts'
import { presentMessage } from '../../chats/present-chat.ts'
import {
  claimPendingCall,
  type LaterCall,
  parseCall,
  remainingCalls,
  withoutDecisions,
} from '../../chats/tool-call-store.ts'
import type { Db } from '../../db/database.ts'
import type { BotRow, ChatRow, MessageRow } from '../../db/tables/tables.ts'
import { cleanFileName } from '../../files/file-name.ts'
import { linkFiles, listFilesById } from '../../files/file-store.ts'
import { toFileRef } from '../../files/store-file.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/new-id.ts'
import { cleanText, cutText } from '../../lib/text.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { findActiveRun, insertRun } from '../log/run-store.ts'
import { nextStep } from '../loop/run-completion.ts'
import { expireRun } from '../maintenance/end-run.ts'
import { moveQueue } from '../queue/move-queue.ts'
import type { WrittenRun, RunStep, RunCursor } from '../run.ts'
import { alreadyDecided, expiredCall, isExpired, notWaiting } from '../tools/explain-decision.ts'

/** What a request for a reply led to: a new run, or nothing new, because the request repeats an earlier one. */
export type SendOutcome = WrittenReply | RepeatedRequest

export interface WrittenReply {
  readonly kind: 'written'
  readonly run: WrittenRun
  readonly denial?: Denial | undefined
}

/** A call that was denied by a message sent instead of an approval. */
export interface Denial {
  /** The reply that made the call. */
  readonly reply: MessageRow
  readonly decision: CallDecision
  /** The later calls of its batch that were denied with it. */
  readonly rest: readonly LaterCall[]
}

/** A request to send a message. */
export interface MessageToSend extends SendRequest {
  /** The device of the request, which is stored when the message denies a call. */
  readonly on?: string | undefined
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
  request: MessageToSend,
): Promise<SendOutcome> {
  const { db } = deps.database
  const content = await readContent(db, user, request)
  if (reasonOf(request, content).length > maxReasonChars)
    throw new AppError(
      'invalid_request',
      `The reason of a denial can have at most ${maxReasonChars.toLocaleString('en')} characters. Shorten it.`,
    )
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
    return writeMessage(trx, deps, user, bot, chat, {
      ...request,
      id: request.id ?? newId(),
      content,
      parent,
    })
  })
}

/** A message that is written below its parent; null for the root of the chat. */
interface MessageToWrite extends Pick<MessageToSend, 'denyOne' | 'on'> {
  readonly id: string
  readonly content: MessageContent
  readonly parent: MessageRow | null
}

/**
 * Writes a user message, an empty reply and its run. The caller has locked the chat and counted the message (`lockChat`).
 * @throws AppError `conflict`, `run_active`
 */
export async function writeMessage(
  trx: Db,
  deps: WriteDeps,
  user: User,
  bot: BotRow,
  chat: LockedChat,
  { id, content, parent, ...request }: MessageToWrite,
): Promise<WrittenReply> {
  const message = await appendMessage(
    trx,
    { chat_id: chat.id, id, role: 'user', ...toContentColumns(content), status: 'complete' },
    parent,
    deps.now(),
  )
  await linkFiles(
    trx,
    chat.id,
    message.id,
    filesOfContent(content).map((file) => file.id),
  )
  // A message that is sent instead of an approval denies the call.
  const denial = parent === null ? undefined : await denyCall(trx, deps, parent, message, request)
  // A message with `denyOne` has no other purpose. The call may have been decided in another tab.
  if (request.denyOne === true && denial === undefined)
    throw parent === null
      ? notWaiting()
      : alreadyDecided((await findMessage(trx, chat.id, parent.id)) ?? parent)
  // In a full chat, a call that needs approval can still be denied.
  if (denial === undefined) refuseFullChat(chat)
  const run = await writeReply(trx, deps, user, bot, chat, message)
  if (parent === null) await storeDefaultTitle(trx, chat.id, message.content)
  return { kind: 'written', run, denial }
}

/**
 * Reads what a new message contains. Of a file, the client chooses the name and the description; the rest is as stored.
 * @throws AppError `invalid_request` for a blank message, and for a part that is neither text nor a file of the user,
 * because no part is left out
 */
export async function readContent(
  db: Db,
  user: User,
  { content }: Pick<SendRequest, 'content'>,
): Promise<MessageContent> {
  const text = textOfContent(content)
  const others =
    typeof content === 'string' ? [] : content.filter(({ text: own, file }) => own === undefined || file)
  if (others.length === 0) {
    if (isBlank(text))
      throw new AppError('invalid_request', 'The message is empty. Write a text and send it again.')
    return text
  }
  // The same file twice is one file.
  const sent = new Map(others.map(({ file }) => [file?.id, file]))
  if (sent.size > maxFilesPerMessage)
    throw refusedContent(
      `it has ${sent.size} files and at most ${maxFilesPerMessage} are possible. Send them in two messages`,
    )
  const stored = await listFilesById(
    db,
    user,
    [...sent.keys()].filter((id) => id !== undefined),
  )
  const files = new Map(stored.map((file) => [file.id, file]))
  return toContent(
    text,
    Array.from(sent.values(), (wanted) => {
      if (wanted === undefined)
        throw refusedContent('a part of it is neither text nor a file. Remove that part and send it again')
      const file = files.get(wanted.id)
      if (file === undefined)
        throw refusedContent(
          `the file ${wanted.name === undefined ? '' : `"${cleanFileName(wanted.name, '')}" `}is not stored any more. Attach it again`,
        )
      const alt = cutText(cleanText(wanted.alt ?? '').trim(), maxAltChars)
      return { ...toFileRef(file, wanted.name), ...(alt !== '' && { alt }) }
    }),
  )
}

function refusedContent(reason: string): AppError {
  return new AppError('invalid_request', `The message was not sent, because ${reason}.`)
}

/** Returns what a message that denies only one call says to the model about it; empty for a plain denial. */
function reasonOf({ denyOne }: Pick<SendRequest, 'denyOne'>, content: MessageContent): string {
  const text = textOfContent(content)
  return denyOne !== true || text === denialText ? '' : text
}

/**
 * Denies the call of the message's parent, if it needs approval. A call that has expired was not denied by the message,
 * which is then an ordinary one.
 * @throws AppError `conflict` for a message that does nothing but deny a call which has expired
 */
async function denyCall(
  trx: Db,
  { now }: Pick<WriteDeps, 'now'>,
  parent: MessageRow,
  message: MessageRow,
  request: Pick<MessageToSend, 'denyOne' | 'on'>,
): Promise<Denial | undefined> {
  if (parent.call_state !== 'waiting' || parent.call === null) return undefined
  const call = parseCall(parent.call)
  const { denyOne = false, on } = request
  const hasExpired = isExpired(parent, now())
  if (hasExpired && (denyOne || message.content === denialText)) throw expiredCall()
  const reason = reasonOf(request, contentOf(message))
  const decision: CallDecision = {
    kind: hasExpired ? 'expired' : 'denied',
    at: now(),
    ...(on !== undefined && !hasExpired && { on }),
    ...(reason !== '' && { reason }),
  }
  // A reason is the result of the call, also of the only call of a step.
  const isForOneCall = denyOne && (call.rest.length > 0 || reason !== '')
  const claimed = isForOneCall
    ? { ...call, decision, deniedBy: message.id }
    : { ...call, decision, rest: withoutDecisions(call.rest) }
  if (!(await claimPendingCall(trx, parent, { state: 'denied', call: claimed }))) return undefined
  return { reply: parent, decision, rest: isForOneCall ? [] : call.rest }
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
export async function findParent(
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
    const run = await writeReply(trx, deps, user, bot, chat, parent)
    if (chat.has_queue) await moveQueue(trx, user, chat, parent.id, run.started.assistant_message.id)
    return { kind: 'written', run }
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
    first: await findFirstStep(trx, parent, reply.id),
    latestTime: reply.unix_timestamp,
  })
}

/**
 * Returns the run's first step: after a tool's result, or a message that denied only one call, the remaining calls of
 * the same batch come before the model. What the user has decided about them counts only in the run that the decision
 * about the first one starts: the first reply to a denial, or the run of an approval. In another one, after a stop or
 * when a reply is regenerated, they ask again, so that a call that is allowed once is made once, and not days later.
 */
async function findFirstStep(trx: Db, parent: MessageRow, replyId: string): Promise<RunStep> {
  const before =
    parent.parent_id === null ? undefined : await findMessage(trx, parent.chat_id, parent.parent_id)
  if (before === undefined || before.call === null) return { kind: 'call_model' }
  const call = parseCall(before.call)
  const isSameTurn = isToolResult(parent) || call.deniedBy === parent.id
  if (!isSameTurn) return { kind: 'call_model' }
  const { calls, total } = remainingCalls(call)
  const areDecided = !isToolResult(parent) && (await countReplies(trx, parent, replyId)) === 0
  return nextStep({ calls: areDecided ? calls : withoutDecisions(calls), total })
}

/**
 * Runs a write that requires a chat without an active run. When the active run belongs to a node that died, ends that
 * run and retries.
 * @throws AppError `run_active`
 */
export async function writeWhenFree<Result>(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'now' | 'onEnded'>,
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
