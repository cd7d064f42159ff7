import type { StartedEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { moveLeaf } from '../../chats/chat-store.ts'
import { appendMessage, findMessage } from '../../chats/message-store.ts'
import { presentMessage } from '../../chats/present-message.ts'
import { parseCall } from '../../chats/stored-call.ts'
import type { Db } from '../../db/database.ts'
import { newId } from '../../lib/new-id.ts'
import type { BotRow, MessageRow } from '../../db/tables/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { User } from '../../identity/user.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { RunStep } from '../loop/run-completion.ts'
import { insertRun } from '../log/run-store.ts'

/** A run that is in the database and not begun yet. */
export interface WrittenRun {
  readonly id: number
  readonly chatId: string
  readonly started: StartedEvent
  /** What it does first. */
  readonly first: RunStep
  /** The time of the chat's latest message. */
  readonly latest: number
}

type Deps = Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>

/**
 * Writes an empty reply to a message and the run that will fill it. The caller holds the chat (`lockChat`).
 * After a tool's result the run goes on with the calls that the model asked for with it.
 * @throws AppError `run_active`
 */
export async function writeRun(
  trx: Db,
  deps: Deps,
  user: User,
  bot: BotRow,
  question: MessageRow,
): Promise<WrittenRun> {
  const chatId = question.chat_id
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
    question,
    deps.now(),
  )
  const first: RunStep = question.server === null ? { kind: 'ask' } : await findNextStep(trx, question)
  return insertWrittenRun(trx, deps, user, {
    chatId,
    question,
    reply: presentMessage(reply),
    first,
    latest: reply.unix_timestamp,
  })
}

/** What follows on a tool's result: the next call of its batch, or the model asked again. */
async function findNextStep(trx: Db, result: MessageRow): Promise<RunStep> {
  const caller =
    result.parent_id === null ? undefined : await findMessage(trx, result.chat_id, result.parent_id)
  const rest = caller?.call === null || caller === undefined ? [] : parseCall(caller.call).rest
  return rest.length === 0 ? { kind: 'ask' } : { kind: 'hand_out', calls: rest, continues: true }
}

export interface NewRun {
  readonly chatId: string
  readonly question: MessageRow
  readonly reply: Message
  readonly first: RunStep
  readonly latest: number
}

/**
 * Writes a run whose reply is there already; it shows the reply.
 * @throws AppError `run_active`
 */
export async function insertWrittenRun(
  trx: Db,
  { database, nodeId, now }: Deps,
  user: User,
  { chatId, question, reply, first, latest }: NewRun,
): Promise<WrittenRun> {
  await moveLeaf(trx, chatId, reply.id)
  const started: StartedEvent = {
    type: 'started',
    seq: 1,
    user_message: presentMessage(question),
    assistant_message: reply,
  }
  const run = {
    chat_id: chatId,
    user_id: user.id,
    message_id: reply.id,
    node_id: nodeId,
    started_at: now(),
  }
  const id = await insertRun(trx, database.dialect, run, JSON.stringify(started)).catch((error: unknown) => {
    // The index allows one run to a chat.
    throw database.dialect.isUniqueViolation(error) ? stillAnswering() : error
  })
  await database.dialect.notifyRuns(trx, [id])
  return { id, chatId, started, first, latest }
}

function stillAnswering(): AppError {
  return new AppError('run_active', 'This chat is still answering. Wait for the reply, or stop it.')
}
