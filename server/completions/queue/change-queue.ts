import type { MessageContent, SentContent } from '@yonder/contract/message'
import { isSameContent, filesOfContent, textOfContent } from '@yonder/contract/message-text'
import { maxQueued, maxQueuedChars, type QueueChange, type QueueRequest } from '@yonder/contract/queue'
import { ownedBy } from '../../access/access.ts'
import { requireBot } from '../../bots/bot-store.ts'
import { lockChatOnly, requireChat } from '../../chats/chat-store.ts'
import { contentOf, findMessage } from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import type { ChatRow } from '../../db/tables/tables.ts'
import { keepUnsent } from '../../files/file-store.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { findActiveRun } from '../log/run-store.ts'
import { noSuchMessage, readContent } from '../start/send-message.ts'
import { changePlace, type PlaceChange } from './order-queue.ts'
import {
  deleteQueued,
  insertQueued,
  listOnPath,
  listQueued,
  updateQueued,
  type QueuedRow,
} from './queue-store.ts'
import { contentOfQueued, selectOfBranch } from './shown-queue.ts'

/** The most messages that wait in a chat on all its branches, which are read together. */
const maxQueuedOfChat = 100

type ChangeDeps = Pick<CompletionDeps, 'database' | 'now'>

/**
 * Adds a message to the end of its branch's queue. Returns whether nothing is ahead of it. One that waits or was sent
 * already is not added again.
 * @throws AppError `not_found`, `invalid_request`, `payload_too_large`, `conflict`
 */
export async function addToQueue(
  { database: { db }, now }: ChangeDeps,
  user: User,
  request: QueueRequest,
): Promise<boolean> {
  const { chatId, id, parentId } = request
  await requireChat(db, user, chatId)
  const content = await readQueuedContent(db, user, request.content)
  const bot = await requireBot(db, user, request.botName)
  return db.transaction().execute(async (trx) => {
    const { chat, queued } = await lockQueue(trx, user, chatId)
    if (await isRepeated(trx, { chatId, id, content }, queued)) return false
    const branchId = await findBranch(trx, chat, parentId)
    const ahead = await selectOfBranch(trx, chatId, queued, branchId)
    if (ahead.length >= maxQueued)
      throw new AppError(
        'invalid_request',
        `At most ${maxQueued} messages can wait, and ${ahead.length} wait already. Send this one later, or take one out.`,
      )
    if (queued.length >= maxQueuedOfChat)
      throw new AppError(
        'invalid_request',
        `At most ${maxQueuedOfChat} messages can wait in all versions of a chat. Send or delete some of those that wait in its other versions.`,
      )
    await keepFiles(trx, user, content, now())
    await insertQueued(trx, {
      chat_id: chatId,
      id,
      ...ownedBy(user),
      branch_id: branchId ?? '',
      position: Math.max(0, ...queued.map(({ position }) => position)) + 1,
      content: JSON.stringify(content),
      bot_id: bot.id,
      time_zone: request.time_zone ?? null,
      steers: 0,
      problem: null,
      run_id: null,
      created_at: now(),
    })
    return ahead.length === 0
  })
}

/** Locks a chat and returns it with all that waits in it. */
async function lockQueue(
  trx: Db,
  user: User,
  chatId: string,
): Promise<{ readonly chat: ChatRow; readonly queued: readonly QueuedRow[] }> {
  await lockChatOnly(trx, user, chatId)
  return { chat: await requireChat(trx, user, chatId), queued: await listQueued(trx, user, chatId) }
}

/** @throws AppError `invalid_request`, `payload_too_large` */
async function readQueuedContent(db: Db, user: User, sent: SentContent): Promise<MessageContent> {
  const chars = textOfContent(sent).length
  if (chars > maxQueuedChars)
    throw new AppError(
      'payload_too_large',
      `A message that waits can have ${maxQueuedChars.toLocaleString('en')} characters, and this one has ${chars.toLocaleString('en')}. Shorten it, or send it when the reply has ended.`,
    )
  return readContent(db, user, { content: sent })
}

/** Lets no file of the message be deleted from now on. */
async function keepFiles(trx: Db, user: User, content: MessageContent, now: number): Promise<void> {
  const ids = filesOfContent(content).map((file) => file.id)
  if (await keepUnsent(trx, user, ids, now)) return
  throw new AppError('invalid_request', 'A file of this message is not stored any more. Attach it again.')
}

/** Whether this message waits or was sent already. @throws AppError `conflict` when it had another content */
async function isRepeated(
  trx: Db,
  { chatId, id, content }: { readonly chatId: string; readonly id: string; readonly content: MessageContent },
  queued: readonly QueuedRow[],
): Promise<boolean> {
  const waiting = queued.find((row) => row.id === id)
  const sent = waiting === undefined ? await findMessage(trx, chatId, id) : undefined
  if (waiting === undefined && sent === undefined) return false
  const known = waiting === undefined ? sent && contentOf(sent) : contentOfQueued(waiting)
  const isSame =
    known !== undefined && isSameContent(known, content) && (sent === undefined || sent.role === 'user')
  if (isSame) return true
  throw new AppError(
    'conflict',
    'This message was already queued or sent, with another text. Reload the page to see it, and send this text as a new message.',
  )
}

/** Returns the last message of the branch that goes through `parentId`, as far as the chat shows it. */
async function findBranch(trx: Db, chat: ChatRow, parentId: string | undefined): Promise<string | null> {
  const leafId = chat.selected_message_id
  if (parentId === undefined || parentId === leafId) return leafId
  if (leafId !== null && (await listOnPath(trx, chat.id, leafId, [parentId])).size > 0) return leafId
  if ((await findMessage(trx, chat.id, parentId)) === undefined) throw noSuchMessage()
  return parentId
}

/**
 * Changes a message that waits: its content, its bot, its place, or whether it goes into the running reply.
 * @throws AppError `not_found`, `invalid_request`, `payload_too_large`, `conflict`
 */
export async function changeQueued(
  { database: { db }, now }: ChangeDeps,
  user: User,
  id: string,
  { chatId, content: sent, botName, before, steers }: QueueChange,
): Promise<void> {
  await requireChat(db, user, chatId)
  const content = sent === undefined ? undefined : await readQueuedContent(db, user, sent)
  const bot = botName === undefined ? undefined : await requireBot(db, user, botName)
  await db.transaction().execute(async (trx) => {
    const { chat, queued } = await lockQueue(trx, user, chatId)
    const row = await requireWaiting(trx, queued, chatId, id)
    const branch = await listNeighbours(trx, chat, queued, row)
    if (typeof before === 'string' && !branch.some((other) => other.id === before))
      throw new AppError(
        'conflict',
        'The message before which this one was put does not wait any more. Reload the page.',
      )
    if (content !== undefined) {
      await keepFiles(trx, user, content, now())
      await updateQueued(trx, user, row, { content: JSON.stringify(content), problem: null })
    }
    if (bot !== undefined) await updateQueued(trx, user, row, { bot_id: bot.id, problem: null })
    await storeOrder(trx, user, branch, id, { before, steers })
  })
}

/** Returns the messages that wait on the branch of one of them: the shown branch, if it is on that. */
async function listNeighbours(
  trx: Db,
  chat: ChatRow,
  queued: readonly QueuedRow[],
  row: QueuedRow,
): Promise<readonly QueuedRow[]> {
  const shown = await selectOfBranch(trx, chat.id, queued, chat.selected_message_id)
  return shown.includes(row) ? shown : queued.filter(({ branch_id }) => branch_id === row.branch_id)
}

async function storeOrder(
  trx: Db,
  user: User,
  branch: readonly QueuedRow[],
  id: string,
  change: PlaceChange,
): Promise<void> {
  const before = branch.map((row) => ({ ...row, steers: row.steers === 1 }))
  const rows = new Map(branch.map((row) => [row.id, row]))
  for (const [index, { id: next, steers }] of changePlace(before, id, change).entries()) {
    const row = rows.get(next)
    const position = branch[index]?.position
    if (row === undefined || position === undefined) continue
    if (row.position !== position || (row.steers === 1) !== steers)
      await updateQueued(trx, user, row, { position, steers: Number(steers) })
  }
}

/** @throws AppError `conflict` for a message that was sent already, `not_found` for an unknown one */
async function requireWaiting(
  trx: Db,
  queued: readonly QueuedRow[],
  chatId: string,
  id: string,
): Promise<QueuedRow> {
  const row = queued.find((one) => one.id === id)
  if (row?.isTaken === true) throw sentAlready()
  if (row !== undefined) return row
  if ((await findMessage(trx, chatId, id)) !== undefined) throw sentAlready()
  throw new AppError('not_found', 'This message does not wait any more. Reload the page.')
}

function sentAlready(): AppError {
  return new AppError('conflict', 'This message was sent already, so it was not changed. Reload the page.')
}

/**
 * Takes a message out of the queue.
 * @throws AppError `not_found`, `conflict`
 */
export async function removeQueued(
  { database: { db } }: ChangeDeps,
  user: User,
  chatId: string,
  id: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { queued } = await lockQueue(trx, user, chatId)
    await requireWaiting(trx, queued, chatId, id)
    await deleteQueued(trx, chatId, id)
  })
}

/** What comes before a message that is to be sent now. */
interface PreparedSend {
  /** The run that is stopped for it; undefined when no reply is written. */
  readonly runId: number | undefined
}

/**
 * Makes a message the first that is sent, so that it is the next one also when the running reply ends by itself. Returns
 * undefined when it was sent meanwhile, or goes into the running reply.
 * @throws AppError `not_found`, `conflict`
 */
export async function makeFirst(
  { database: { db, dialect } }: ChangeDeps,
  user: User,
  chatId: string,
  id: string,
): Promise<PreparedSend | undefined> {
  return db.transaction().execute(async (trx) => {
    const { chat, queued } = await lockQueue(trx, user, chatId)
    const row = queued.find((one) => one.id === id)
    if (row?.isTaken === true) return undefined
    if (row === undefined) {
      if ((await findMessage(trx, chatId, id)) !== undefined) return undefined
      throw new AppError('not_found', 'This message does not wait any more. Reload the page.')
    }
    const shown = await selectOfBranch(trx, chatId, queued, chat.selected_message_id)
    if (!shown.includes(row))
      throw new AppError(
        'conflict',
        'This message waits in another version of the chat. Show that version first.',
      )
    // Before those that go into the running reply, which may not reach another step.
    const order = [row, ...shown.filter((other) => other !== row)]
    for (const [index, other] of order.entries()) {
      const position = shown[index]?.position ?? other.position
      if (other === row) await updateQueued(trx, user, row, { position, steers: 0, problem: null })
      else if (position !== other.position) await updateQueued(trx, user, other, { position })
    }
    return { runId: (await findActiveRun(trx, dialect, chatId))?.id }
  })
}
