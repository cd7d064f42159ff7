import type { ToolAnswerRequest } from '@yonder/contract/completion'
import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import { requireChat } from '../../chats/chat-store.ts'
import { checkElicitationAnswer } from '../../connectors/calls/elicitation-form.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { findActiveRun, insertAnswer, listAnswers } from '../log/run-store.ts'
import { foldLog } from '../maintenance/end-run.ts'

/**
 * Answers an elicitation of a running tool, whichever node runs it. An elicitation is answered once.
 * @throws AppError `not_found`, `conflict`, `invalid_request`
 */
export async function answerElicitation(
  deps: Pick<CompletionDeps, 'database' | 'runs'>,
  user: User,
  { chatId, messageId, questionId, answer }: ToolAnswerRequest,
): Promise<void> {
  const { db, dialect } = deps.database
  await requireChat(db, user, chatId)
  const run = await findActiveRun(db, dialect, chatId)
  const activeRun = run && deps.runs.get(run.id)
  if (run === undefined || (run.expired && activeRun === undefined)) throw notPending()
  const { messages } = activeRun?.recorder.state ?? (await foldLog(db, run.id))
  const elicitation = messages.find(({ id }) => id === messageId)?.call?.question
  if (elicitation?.id !== questionId) throw notPending()
  const checked = checkElicitationAnswer(elicitation, answer)
  if (checked === undefined) {
    throw new AppError(
      'invalid_request',
      'The answer does not match the form of the tool. Check the values and send it again.',
    )
  }
  const stored = { question_id: questionId, run_id: run.id, answer: JSON.stringify(checked) }
  if (!(await insertAnswer(db, stored))) throw notPending()
  if (activeRun === undefined) await dialect.notifyRuns(db, [run.id])
  else activeRun.elicitations.answer(questionId, checked)
}

function notPending(): AppError {
  return new AppError(
    'conflict',
    'This question was already answered, or its tool call has ended. Reload the page.',
  )
}

/** Passes the answers that other nodes have stored to the calls of this process that wait for them. */
export async function deliverElicitationAnswers({
  database,
  runs,
}: Pick<CompletionDeps, 'database' | 'runs'>): Promise<void> {
  const runIds = runs.list().flatMap(({ id, elicitations }) => (elicitations.isEmpty ? [] : [id]))
  if (runIds.length === 0) return
  for (const { run_id, question_id, answer } of await listAnswers(database.db, runIds)) {
    // Checked by `answerElicitation` before it was stored.
    runs.get(run_id)?.elicitations.answer(question_id, JSON.parse(answer) as ElicitationAnswer)
  }
}
