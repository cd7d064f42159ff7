import { toStorageError } from '../../db/storage-problem.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps, RunFrame } from '../completion-deps.ts'
import { PendingElicitations } from '../log/active-runs.ts'
import type { RunRecorder } from '../log/run-recorder.ts'
import { closeRun, lastReplyId } from '../log/run-store.ts'
import { failed } from '../loop/call-model.ts'
import { RecordedActions, type ActionDeps } from '../loop/run-actions.ts'
import { runCompletion } from '../loop/run-completion.ts'
import type { WrittenRun, RunEnding, AbortReason } from '../run.ts'

/** Starts a run that is already stored. It continues to its end even if no stream follows it. */
export function startRun(
  deps: ActionDeps & Pick<CompletionDeps, 'runs' | 'log' | 'titles' | 'onEnded'>,
  run: WrittenRun,
  requested: Pick<RunFrame, 'user' | 'bot' | 'timeZone'>,
): void {
  const { id, chatId, started } = run
  const controller = new AbortController()
  const abort = (reason: AbortReason): void => controller.abort(reason)
  const recorder = deps.log.open(run)
  recorder.subscribe({ onBatch: () => undefined, onLost: () => abort('interrupted') })
  deps.titles.watch({ chatId, ...requested, recorder })
  const elicitations = new PendingElicitations()
  const ended = executeRun(deps, { run, ...requested, recorder, elicitations, signal: controller.signal })
    .then((ending) => recordEnding(deps, recorder, chatId, ending))
    .finally(() => deps.runs.delete(id))
  void ended.then(
    () => deps.onEnded({ id, chatId, userId: requested.user.id, replyId: lastReplyId(recorder.state) }),
    deps.onError,
  )
  deps.runs.add({ id, chatId, userId: requested.user.id, started, recorder, elicitations, abort, ended })
}

async function executeRun(deps: ActionDeps, frame: RunFrame): Promise<RunEnding> {
  try {
    return await runCompletion(frame.run.first, new RecordedActions(deps, frame), frame.signal)
  } catch (error) {
    // Only the message of an `AppError` is written for users.
    if (error instanceof AppError) return failed(error.code, error.message)
    deps.onError(error)
    const storageError = toStorageError(error)
    if (storageError !== null) return failed(storageError.code, storageError.message)
    return failed(
      'internal',
      `An unexpected error occurred on the server (run ${frame.run.id}). Regenerate the reply.`,
    )
  }
}

/** Adds the end of the run. The reply is stored in the commit of the last events, before they are shown. */
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
