import { countContent, isSameContent } from '@yonder/contract/message-text'
import type { QueuePause } from '@yonder/contract/queue'
import { hasQueued, lockChat, lockChatOnly, requireChat } from '../../chats/chat-store.ts'
import { contentOf, findMessage } from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import type { BotRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { toUser } from '../../identity/users/user-store.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { readTimeZone } from '../prompt/fill-instructions.ts'
import { recordDenials } from '../start/confirm-call.ts'
import { findParent, writeMessage, type WrittenReply } from '../start/send-message.ts'
import { startRun } from '../start/start-run.ts'
import {
  deleteQueued,
  findBotById,
  findUserOfQueue,
  moveQueued,
  updateQueued,
  type QueuedRow,
} from './queue-store.ts'
import { contentOfQueued, readShown, type ShownQueue } from './shown-queue.ts'

export interface SendDeps extends CompletionDeps {
  /** Replies that each user may have in progress at this node. */
  readonly perMinute: number
}

export interface SendOptions {
  /**
   * In spite of what a message is sent: the user asked for it (`everything`), or to go on after this pause, or it is the
   * only one, and the user has seen how the last reply ended (`endings`). By default it is not sent when the queue is paused.
   */
  readonly despite?: 'everything' | 'endings' | QueuePause | undefined
  /** The message. By default the first. */
  readonly id?: string | undefined
  /** The time zone of the user's browser now. By default that of the browser that queued the message. */
  readonly timeZone?: string | null | undefined
  /** The device of the request, which is stored when the message denies a call. */
  readonly on?: string | undefined
}

/** A message of the queue that was written, with its reply and run. */
interface Sent {
  readonly row: QueuedRow
  readonly bot: BotRow
  readonly written: WrittenReply
}

/**
 * Sends the first message of the queue that a chat shows, if no reply is written and it is not paused: takes it out, and
 * writes it with its reply and run, in one transaction. So a message is sent once, by one node, whoever tries at the same
 * time, and whatever is killed. A message that is refused stays, with the reason.
 * @throws AppError `not_found`; `conflict` when its bot was deleted and it is sent in spite of everything
 */
export async function sendQueued(
  deps: SendDeps,
  user: User,
  chatId: string,
  { despite, id, timeZone, on }: SendOptions = {},
): Promise<void> {
  if (!hasRoom(deps, user)) return
  let chosen: QueuedRow | undefined
  try {
    const sent = await deps.database.db.transaction().execute(async (trx): Promise<Sent | undefined> => {
      await lockChatOnly(trx, user, chatId)
      const chat = await requireChat(trx, user, chatId)
      const { dialect } = deps.database
      const queue = await readShown({ db: trx, dialect }, user, chat)
      chosen = choose(queue, { despite, id })
      return chosen && writeQueued(trx, deps, user, chosen, { queue, on })
    })
    if (sent !== undefined) await start(deps, user, sent, timeZone)
  } catch (error) {
    // The chat's active run was not seen before, because it began in this moment. The message waits for its end.
    if (error instanceof AppError && error.code === 'run_active') return
    if (!(error instanceof AppError) || chosen === undefined) throw error
    await storeProblem(deps, user, chosen, error.message)
  }
}

/** Whether this node starts another reply of the user. If not, the queue goes on later, maybe at another node. */
function hasRoom({ runs, perMinute }: SendDeps, user: User): boolean {
  try {
    runs.checkAccepting()
    runs.checkUserLimit(perMinute, user.id)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Pauses that say how the last reply ended, which whoever sends a message now has seen. */
const endings: ReadonlySet<QueuePause> = new Set(['expired', 'failed', 'stopped', 'interrupted'])

/** Returns the message that is sent now; undefined when it waits. */
function choose(
  { rows, isActive, paused }: ShownQueue,
  { despite, id }: Pick<SendOptions, 'despite' | 'id'>,
): QueuedRow | undefined {
  if (isActive) return undefined
  const row = id === undefined ? rows[0] : rows.find((one) => one.id === id)
  if (despite !== 'everything') {
    // Another one may have been put before it.
    if (row !== rows[0]) return undefined
    const isSeenEnding = despite === 'endings' && paused !== null && endings.has(paused)
    if (paused !== null && paused !== despite && !isSeenEnding) return undefined
  }
  if (row?.bot === null)
    throw new AppError(
      'conflict',
      'The bot of this message was deleted. Choose another bot for it, or remove it.',
    )
  return row
}

/** Writes a message with its reply and run; the others wait after that reply. Undefined when it was sent before. */
async function writeQueued(
  trx: Db,
  deps: SendDeps,
  user: User,
  row: QueuedRow,
  { queue: { rows }, on }: { readonly queue: ShownQueue } & Pick<SendOptions, 'on'>,
): Promise<Sent | undefined> {
  const { chat_id: chatId, id } = row
  const content = contentOfQueued(row)
  await deleteQueued(trx, chatId, id)
  const existing = await findMessage(trx, chatId, id)
  if (existing !== undefined) {
    if (existing.role === 'user' && isSameContent(contentOf(existing), content)) return undefined
    throw new AppError('conflict', 'A message with the same id, but another text, was sent meanwhile.')
  }
  const bot = await findBotById(trx, user, row.bot_id)
  if (bot === undefined) throw new Error(`the bot of the message ${id} was deleted in a transaction`)
  const chat = await lockChat(trx, user, chatId, deps.now(), countContent(content))
  const parent = await findParent(trx, chat, undefined)
  const written = await writeMessage(trx, deps, user, bot, chat, { id, content, parent, on })
  const others = rows.filter((other) => other !== row).map((other) => other.id)
  await moveQueued(trx, chatId, others, written.run.started.assistant_message.id)
  return { row, bot, written }
}

async function start(
  deps: SendDeps,
  user: User,
  { row, bot, written: { run, denial } }: Sent,
  timeZone: string | null | undefined,
): Promise<void> {
  startRun(deps, run, { user, bot, timeZone: readTimeZone(timeZone ?? row.time_zone) })
  deps.onChatChanged(user.id, row.chat_id)
  if (denial !== undefined) await recordDenials(deps, user, denial)
}

/** Stores why a message could not be sent, unless it was changed or sent meanwhile. */
async function storeProblem(
  { database: { db }, onChatChanged }: SendDeps,
  user: User,
  row: QueuedRow,
  problem: string,
): Promise<void> {
  await updateQueued(db, user, row, { problem })
  onChatChanged(user.id, row.chat_id)
}

/** Lets the queue of a chat go on, if messages wait there and it is not paused. */
export async function drainQueue(deps: SendDeps, chatId: string): Promise<void> {
  const { db } = deps.database
  if (!(await hasQueued(db, chatId))) return
  const row = await findUserOfQueue(db, chatId)
  if (row === undefined) return
  const user = toUser(row)
  // Looks first without locking the chat: a queue that waits in another version of the chat is looked at often.
  const chat = await requireChat(db, user, chatId)
  const { rows, isActive, paused } = await readShown(deps.database, user, chat)
  if (rows.length === 0 || isActive || paused !== null) return
  await sendQueued(deps, user, chatId)
}
