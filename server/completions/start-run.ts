import type { StartedEvent } from '@yonder/contract/completion'
import { moveLeaf } from '../chats/chat-store.ts'
import { appendMessage, listPath } from '../chats/message-store.ts'
import { presentMessage } from '../chats/present-message.ts'
import type { Db } from '../db/database.ts'
import { newId } from '../db/new-id.ts'
import type { BotRow, MessageRow } from '../db/tables.ts'
import { AppError } from '../http/app-error.ts'
import type { User } from '../identity/user.ts'
import type { ActiveRun } from './active-runs.ts'
import { buildPrompt } from './build-prompt.ts'
import { closeRun } from './close-run.ts'
import type { CompletionDeps } from './completion-deps.ts'
import { runCompletion } from './run-completion.ts'
import type { AbortReason, RunEnding } from './run-completion.ts'
import type { RunRecorder } from './run-recorder.ts'
import { findActiveRun, insertRun } from './run-store.ts'

/** A run that is in the database and not begun yet. */
export interface WrittenRun {
  readonly id: number
  readonly chatId: string
  readonly started: StartedEvent
}

/**
 * Writes an empty reply to a message and the run that will fill it. The caller holds the chat (`lockChat`) and may know
 * the time of its latest message.
 * @throws AppError `run_active`
 */
export async function writeRun(
  trx: Db,
  { database, nodeId, now }: Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>,
  user: User,
  bot: BotRow,
  question: MessageRow,
  latest?: number,
): Promise<WrittenRun> {
  const chatId = question.chat_id
  if ((await findActiveRun(trx, database.dialect, chatId)) !== undefined) throw stillAnswering()
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
    now(),
    latest,
  )
  await moveLeaf(trx, chatId, reply.id)
  const started: StartedEvent = {
    type: 'started',
    seq: 1,
    user_message: presentMessage(question),
    assistant_message: presentMessage(reply),
  }
  const run = {
    chat_id: chatId,
    user_id: user.id,
    message_id: reply.id,
    node_id: nodeId,
    started_at: now(),
  }
  const id = await insertRun(trx, database.dialect, run, JSON.stringify(started))
  await database.dialect.wake(trx, [id])
  return { id, chatId, started }
}

export function stillAnswering(): AppError {
  return new AppError('run_active', 'This chat is still answering. Wait for the reply, or stop it.')
}

/** Begins a written run. It goes on by itself, whoever listens. */
export function startRun(
  deps: CompletionDeps,
  { id, chatId, started }: WrittenRun,
  user: User,
  bot: BotRow,
): ActiveRun {
  const controller = new AbortController()
  const abort = (reason: AbortReason): void => controller.abort(reason)
  const recorder = deps.log.open(id, started)
  recorder.onLost(() => abort('interrupted'))
  const ended = answer(deps, {
    chatId,
    question: started.user_message.id,
    user,
    bot,
    recorder,
    signal: controller.signal,
  })
    .then((ending) => recordEnding(deps, recorder, chatId, ending))
    .finally(() => deps.runs.delete(id))
  const run: ActiveRun = { chatId, messageId: started.assistant_message.id, recorder, abort, ended }
  deps.runs.set(id, run)
  const owner = { id, chat_id: chatId, user_id: user.id, message_id: run.messageId, node_id: deps.nodeId }
  deps.feed.begin(owner, run, started)
  return run
}

interface Answering {
  readonly chatId: string
  readonly question: string
  readonly user: User
  readonly bot: BotRow
  readonly recorder: RunRecorder
  readonly signal: AbortSignal
}

async function answer(deps: CompletionDeps, run: Answering): Promise<RunEnding> {
  try {
    const path = await listPath(deps.database.db, run.chatId, run.question)
    return await runCompletion({
      model: deps.openBotModel(run.user, run.bot),
      request: {
        model: run.bot.model,
        messages: buildPrompt(path),
        tools: [],
        maxTokens: run.bot.max_tokens,
      },
      signal: run.signal,
      onText: (kind, text) => run.recorder.append(kind, text),
      onEvent: (event) => run.recorder.add(event),
    })
  } catch (error) {
    // A bot without an address or with a broken key, e.g.
    if (error instanceof AppError)
      return { status: 'failed', error: { code: error.code, message: error.message } }
    deps.onError(error)
    return {
      status: 'failed',
      error: { code: 'internal', message: `Something went wrong on the server (run ${run.recorder.runId}).` },
    }
  }
}

/** The reply and the run's end are stored with the last events, before those are shown. */
async function recordEnding(
  { now }: CompletionDeps,
  recorder: RunRecorder,
  chatId: string,
  { status, error, finish }: RunEnding,
): Promise<void> {
  if (error !== undefined) recorder.add({ type: 'error', error })
  recorder.add({ type: 'ended', status, ...(finish === undefined ? {} : { finish }) }, (trx, state) =>
    closeRun(trx, { id: recorder.runId, chat_id: chatId }, state, now()),
  )
  await recorder.closed
}
