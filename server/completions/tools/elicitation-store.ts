import type { Db } from '../../db/database.ts'
import type { QuestionAnswerRow } from '../../db/tables/tables.ts'

/** Stores an answer. Returns false when the elicitation already has one. */
export async function insertAnswer(db: Db, answer: QuestionAnswerRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('question_answers')
    .values(answer)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export function listAnswers(db: Db, runIds: readonly number[]): Promise<QuestionAnswerRow[]> {
  return db.selectFrom('question_answers').selectAll().where('run_id', 'in', runIds).execute()
}
