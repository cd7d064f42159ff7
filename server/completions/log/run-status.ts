import type { ChatRun } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import type { CompletionDeps } from '../completion-deps.ts'
import { expireRun, foldLog } from '../maintenance/end-run.ts'
import { findActiveRun, findRun } from './run-store.ts'

type StatusDeps = Pick<CompletionDeps, 'database' | 'runs' | 'now'>

/**
 * Returns the status of a run in whose log the caller found no events after `after`: the run ended there, more events
 * were written since, it is waiting for more, or it is no longer stored. A run whose node died is ended first.
 */
export async function readRunStatus(
  deps: StatusDeps,
  { runId, after }: { readonly runId: number; readonly after: number },
): Promise<'ended' | 'has_more' | 'waiting' | 'missing'> {
  const { db, dialect } = deps.database
  const run = await findRun(db, dialect, runId)
  if (run === undefined) return 'missing'
  if (run.status !== 'running') return after >= run.last_seq ? 'ended' : 'has_more'
  if (run.expired && !deps.runs.has(runId)) {
    await expireRun(deps, runId)
    return 'has_more'
  }
  return 'waiting'
}

/** The run that is writing into a chat, with what it has written so far. */
export interface RunningReply {
  readonly run: ChatRun
  readonly messages: readonly Message[]
}

/** Returns the chat's running run, up to its last committed event. A run whose node died is ended and not returned. */
export async function findRunningReply(deps: StatusDeps, chatId: string): Promise<RunningReply | undefined> {
  const { db, dialect } = deps.database
  const run = await findActiveRun(db, dialect, chatId)
  if (run === undefined) return undefined
  const recorder = deps.runs.get(run.id)?.recorder
  if (recorder === undefined && run.expired) {
    await expireRun(deps, run.id)
    return undefined
  }
  const state = recorder?.state ?? (await foldLog(db, run.id))
  return { run: { message_id: run.message_id, seq: state.seq }, messages: state.messages }
}
