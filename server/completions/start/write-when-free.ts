import { AppError } from '../../lib/app-error.ts'
import { closeDeadRun } from '../maintenance/expire-runs.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { findActiveRun } from '../log/run-store.ts'

/**
 * Writes into a chat in which nothing runs. A run whose node died does not count: it is closed first.
 * @throws AppError `run_active`
 */
export async function writeWhenFree<Result>(
  deps: CompletionDeps,
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
    await closeDeadRun(deps, active.id)
    return write()
  }
}
