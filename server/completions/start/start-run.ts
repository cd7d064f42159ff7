import type { StartedEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { moveLeaf } from '../../chats/chat-store.ts'
import { presentMessage } from '../../chats/present-message.ts'
import type { Db } from '../../db/database.ts'
import type { BotRow, MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { AbortReason } from '../log/active-runs.ts'
import type { RunRecorder } from '../log/run-recorder.ts'
import { findActiveRun, insertRun, closeRun } from '../log/run-store.ts'
import { failed } from '../loop/call-model.ts'
import type { RunEnding } from '../loop/call-model.ts'
import { RecordedActions } from '../loop/run-actions.ts'
import type { ActionDeps, RunFrame, WrittenRun } from '../loop/run-actions.ts'
import { runCompletion } from '../loop/run-completion.ts'
import type { RunStep } from '../loop/run-completion.ts'
import { expireRun } from '../maintenance/end-run.ts'
import { PendingElicitations } from '../log/active-runs.ts'

/**
 * Runs a write that needs a chat without a running reply. When the chat's run belongs to a node that died, ends that
 * run and tries again (§10.18).
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

export interface NewRun {
  readonly chatId: string
  /** The user message or tool result that the reply answers. */
  readonly parent: MessageRow
  readonly reply: Message
  readonly first: RunStep
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
  { chatId, parent, reply, first, latestTime }: NewRun,
): Promise<WrittenRun> {
  const { dialect } = database
  await moveLeaf(trx, chatId, reply.id)
  const started: StartedEvent = {
    type: 'started',
    seq: 1,
    user_message: presentMessage(parent),
    assistant_message: reply,
  }
  const run = {
    chat_id: chatId,
    user_id: user.id,
    message_id: reply.id,
    node_id: nodeId,
    started_at: now(),
  }
  const id = await insertRun(trx, dialect, run, JSON.stringify(started)).catch((error: unknown) => {
    // A unique index allows one running run per chat.
    throw dialect.isUniqueViolation(error) ? stillAnswering() : error
  })
  await dialect.notifyRuns(trx, [id])
  return { id, chatId, started, first, latestTime }
}

function stillAnswering(): AppError {
  return new AppError('run_active', 'This chat is still answering. Wait for the reply, or stop it.')
}

/** Starts a run that is already stored. It continues to its end even if no stream follows it (§10.14). */
export function startRun(
  deps: ActionDeps & Pick<CompletionDeps, 'runs' | 'log'>,
  run: WrittenRun,
  user: User,
  bot: BotRow,
): void {
  const { id, chatId, started } = run
  const controller = new AbortController()
  const abort = (reason: AbortReason): void => controller.abort(reason)
  const recorder = deps.log.open(id, started)
  recorder.subscribe({ onBatch: () => undefined, onLost: () => abort('interrupted') })
  const elicitations = new PendingElicitations()
  const ended = complete(deps, { run, user, bot, recorder, elicitations, signal: controller.signal })
    .then((ending) => recordEnding(deps, recorder, chatId, ending))
    .finally(() => deps.runs.delete(id))
  deps.runs.add({ id, chatId, userId: user.id, started, recorder, elicitations, abort, ended })
}

async function complete(deps: ActionDeps, frame: RunFrame): Promise<RunEnding> {
  try {
    return await runCompletion(frame.run.first, new RecordedActions(deps, frame), frame.signal)
  } catch (error) {
    // The message of an `AppError` is meant for users.
    if (error instanceof AppError) return failed(error.code, error.message)
    deps.onError(error)
    return failed('internal', `Something went wrong on the server (run ${frame.run.id}).`)
  }
}

/** Stores the reply and the run's end in the same commit as the last events, before those are shown. */
async function recordEnding(
  { now }: Pick<CompletionDeps, 'now'>,
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
