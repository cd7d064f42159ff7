import type { Message } from '@yonder/contract/message'
import type { Actor } from '../../access/access.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { foldLog } from '../maintenance/end-run.ts'
import { findRun, hasQuestion, listRunsOfUser } from './run-store.ts'

/** A running call that asks its user a question (`message.call.question`). */
export interface OpenQuestion {
  readonly chatId: string
  readonly message: Message
}

/** Returns the open questions of a user's active runs, whichever node executes them. */
export async function listQuestions(
  { database: { db, dialect }, runs }: Pick<CompletionDeps, 'database' | 'runs'>,
  user: Actor,
): Promise<OpenQuestion[]> {
  const questions: OpenQuestion[] = []
  for (const { id, chat_id: chatId } of await listRunsOfUser(db, user.id)) {
    let state = runs.get(id)?.recorder.state
    if (state === undefined) {
      // Few runs ask, and the log of one can have megabytes.
      if (!(await hasQuestion(db, id)) || (await findRun(db, dialect, id))?.expired !== false) continue
      state = await foldLog(db, id)
    }
    const message = state.messages.at(-1)
    if (message?.call?.question !== undefined) questions.push({ chatId, message })
  }
  return questions
}
