import type { ToolAnswer } from '@yonder/contract/completion'
import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import { requireChat } from '../../chats/chat-store.ts'
import { checkElicitationAnswer } from '../../connectors/calls/elicitation-form.ts'
import { AppError } from '../../lib/app-error.ts'
import type { User } from '../../identity/user.ts'
import type { ActiveRuns } from '../log/active-runs.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { insertAnswer, listAnswers } from './elicitation-store.ts'
import { readRun } from '../log/read-run.ts'
import { findActiveRun } from '../log/run-store.ts'

/**
 * Answers a question that a running call asks its person, on whichever node it runs. A question is answered once.
 * @throws AppError `not_found`, `conflict`, `invalid_request`
 */
export async function answerQuestion(
  deps: CompletionDeps,
  user: User,
  { chatId, messageId, questionId, answer }: ToolAnswer,
): Promise<void> {
  const { db, dialect } = deps.database
  await requireChat(db, user, chatId)
  const run = await findActiveRun(db, dialect, chatId)
  const running = await readRun(deps, chatId)
  const reply = running?.messages.find(({ id }) => id === messageId)
  const question = reply?.call?.question
  if (run === undefined || question?.id !== questionId) throw notOpen()
  const checked = checkElicitationAnswer(question, answer)
  if (checked === undefined)
    throw new AppError('invalid_request', 'The answer does not fit what the tool asks for.')
  const stored = { question_id: questionId, run_id: run.id, answer: JSON.stringify(checked) }
  if (!(await insertAnswer(db, stored))) throw notOpen()
  const own = deps.runs.get(run.id)
  if (own === undefined) await dialect.notifyRuns(db, [run.id])
  else own.questions.answer(questionId, checked)
}

function notOpen(): AppError {
  return new AppError('conflict', 'This question is not open any more.')
}

/** Hands over what other nodes took answers for to those runs of this process that ask. */
export async function deliverAnswers({
  database,
  runs,
}: Pick<CompletionDeps, 'database'> & { readonly runs: ActiveRuns }): Promise<void> {
  const asking = [...runs].filter(([, run]) => !run.questions.isEmpty).map(([runId]) => runId)
  if (asking.length === 0) return
  for (const { run_id, question_id, answer } of await listAnswers(database.db, asking)) {
    // Written by `answerQuestion`, after it was checked.
    runs.get(run_id)?.questions.answer(question_id, JSON.parse(answer) as ElicitationAnswer)
  }
}
