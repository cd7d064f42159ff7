import type { BotRow } from '../../db/tables/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { User } from '../../identity/user.ts'
import type { ActiveRun } from '../log/active-runs.ts'
import { failed } from '../loop/ask-model.ts'
import type { AbortReason, RunEnding } from '../loop/ask-model.ts'
import { closeRun } from '../maintenance/close-run.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { OpenQuestions } from '../tools/pending-elicitations.ts'
import { RecordedActions } from '../loop/run-actions.ts'
import type { RunFrame } from '../loop/run-actions.ts'
import { runCompletion } from '../loop/run-completion.ts'
import type { RunRecorder } from '../log/run-recorder.ts'
import type { WrittenRun } from './write-run.ts'

/** Begins a written run. It goes on by itself, whoever listens. */
export function startRun(deps: CompletionDeps, written: WrittenRun, user: User, bot: BotRow): ActiveRun {
  const { id, chatId, started } = written
  const controller = new AbortController()
  const abort = (reason: AbortReason): void => controller.abort(reason)
  const recorder = deps.log.open(id, started)
  recorder.onLost(() => abort('interrupted'))
  const questions = new OpenQuestions()
  const ended = answer(deps, { run: written, user, bot, recorder, questions, signal: controller.signal })
    .then((ending) => recordEnding(deps, recorder, chatId, ending))
    .finally(() => deps.runs.delete(id))
  const run: ActiveRun = {
    chatId,
    messageId: started.assistant_message.id,
    recorder,
    questions,
    abort,
    ended,
  }
  deps.runs.set(id, run)
  const owner = { id, chat_id: chatId, user_id: user.id, message_id: run.messageId, node_id: deps.nodeId }
  deps.feed.begin(owner, run, started)
  return run
}

async function answer(deps: CompletionDeps, frame: RunFrame): Promise<RunEnding> {
  try {
    return await runCompletion(frame.run.first, new RecordedActions(deps, frame), frame.signal)
  } catch (error) {
    // Its words are for people.
    if (error instanceof AppError) return failed(error.code, error.message)
    deps.onError(error)
    return failed('internal', `Something went wrong on the server (run ${frame.recorder.runId}).`)
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
