import type { ChatRun } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { closeDeadRun, foldLog } from '../maintenance/expire-runs.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { findActiveRun } from './run-store.ts'

/** The run that is writing into a chat, with what it has written so far. */
export interface RunningReply {
  readonly run: ChatRun
  readonly messages: readonly Message[]
}

/** A chat's run as far as its events are committed; a run whose node is gone is closed and does not count. */
export async function readRun(deps: CompletionDeps, chatId: string): Promise<RunningReply | undefined> {
  const { db, dialect } = deps.database
  const run = await findActiveRun(db, dialect, chatId)
  if (run === undefined) return undefined
  const recorder = deps.runs.get(run.id)?.recorder
  if (recorder === undefined && run.expired) {
    await closeDeadRun(deps, run.id)
    return undefined
  }
  const state = recorder?.state ?? (await foldLog(db, run.id))
  return { run: { message_id: run.message_id, seq: state.seq }, messages: state.messages }
}
