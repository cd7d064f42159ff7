import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { touchChat } from '../../chats/chat-store.ts'
import { fillReply, findLatestTime } from '../../chats/message-store.ts'
import type { FilledReply } from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { endRun, findActiveRun, findRun, insertEvent, listEvents, requestStop } from '../log/run-store.ts'
import { interruptedCall, storeResult, writeResult } from '../tools/tool-result.ts'
import type { WrittenResult } from '../tools/tool-result.ts'

/** Stores the end of a run together with its reply, as its events say. A run that has ended already keeps its end. */
export async function closeRun(
  trx: Db,
  run: { readonly id: number; readonly chat_id: string },
  state: RunState,
  now: number,
): Promise<void> {
  const last = state.messages.at(-1)
  if (last === undefined) throw new Error(`run ${run.id} has no reply`)
  // The chat first, as everything that writes into a chat does: in another order two of them would deadlock.
  await touchChat(trx, run.chat_id, now)
  if (!(await endRun(trx, run.id, { status: state.status, lastSeq: state.seq, now }))) return
  // After a tool's result the run may end without another reply.
  if (last.role === 'assistant') await fillReply(trx, run.chat_id, last.id, toFilledReply(last))
}

/** A folded reply as it is stored; of a failed one, the text before the failure. */
export function toFilledReply(reply: Message): FilledReply {
  return {
    content: reply.status === 'failed' ? (reply.partial ?? '') : textOfContent(reply.content),
    reasoning: reply.reasoning ?? null,
    status: reply.status,
    error_code: reply.error?.code ?? null,
    error_message: reply.error?.message ?? null,
    model: reply.model ?? null,
    provider: reply.provider ?? null,
    usage: reply.usage === undefined ? null : JSON.stringify(reply.usage),
    finish: reply.finish ?? null,
    server: reply.server ?? null,
    tool: reply.tool ?? null,
    arguments: reply.arguments ?? null,
    notice: reply.notice ?? null,
  }
}

/**
 * Ends a run whose node no longer renews its lease as interrupted, with the text that was shown. Does nothing to other
 * runs.
 */
export async function expireRun(
  { database, runs, now }: Pick<CompletionDeps, 'database' | 'runs' | 'now'>,
  runId: number,
): Promise<void> {
  // A process never expires its own runs, whatever the clock says, e.g. after a laptop slept.
  if (runs.has(runId)) return
  const { db, dialect } = database
  await db.transaction().execute(async (trx) => {
    await dialect.lockRun(trx, runId)
    const run = await findRun(trx, dialect, runId)
    if (run === undefined || run.status !== 'running' || !run.expired) return
    let state = await foldLog(trx, runId)
    const append = async (event: RunEvent): Promise<void> => {
      await insertEvent(trx, { run_id: runId, seq: event.seq, event: JSON.stringify(event) })
      state = applyEvent(state, event)
    }
    const result = await interruptCall(trx, run.chat_id, state, now())
    if (result !== undefined) {
      const { message } = result
      const { content } = message
      await append({ type: 'tool_result', seq: state.seq + 1, role: 'user', content, message })
      await storeResult(trx, run.chat_id, result)
    }
    await append({ type: 'ended', seq: state.seq + 1, status: 'interrupted' })
    await closeRun(trx, run, state, now())
    await dialect.notifyRuns(trx, [runId])
  })
}

/** The result of a call that was running. Its tool may have finished, so the call is never made again. */
async function interruptCall(
  trx: Db,
  chatId: string,
  { messages }: RunState,
  now: number,
): Promise<WrittenResult | undefined> {
  const last = messages.at(-1)
  if (last?.call?.state !== 'running') return undefined
  const { id, server = '', tool = '' } = last
  const time = Math.max(now, (await findLatestTime(trx, chatId)) + 1)
  const outcome = { ...interruptedCall(), duration: null }
  return writeResult({ replyId: id, connectorName: server, toolName: tool }, outcome, time)
}

/** Folds the committed events of a run. */
export async function foldLog(db: Db, runId: number): Promise<RunState> {
  const rows = await listEvents(db, runId, 0)
  // The log holds only what a server wrote.
  return rows.reduce((state, { event }) => applyEvent(state, JSON.parse(event) as RunEvent), emptyRun)
}

/** Milliseconds to wait for another node to stop its run, and between two reads of its status. */
const maxStopMs = 10_000
const stopPollMs = 200

/**
 * Stops the run that writes into a chat, on whichever node it is, and keeps what it has written. Resolves when its end
 * is stored, so that the next message is accepted; with false when nothing was running.
 */
export async function stopRun(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'notifications' | 'now'>,
  chatId: string,
): Promise<boolean> {
  const { db, dialect } = deps.database
  const run = await findActiveRun(db, dialect, chatId)
  if (run === undefined) return false
  const active = deps.runs.get(run.id)
  if (active !== undefined) {
    active.abort('stopped')
    await active.ended
    return true
  }
  await requestStop(db, run.id)
  await dialect.notifyRuns(db, [run.id])
  for (let waitedMs = 0; waitedMs < maxStopMs; waitedMs += stopPollMs) {
    const current = await findRun(db, dialect, run.id)
    if (current?.status !== 'running') return true
    if (current.expired) await expireRun(deps, run.id)
    else await deps.notifications.wait(run.id, stopPollMs)
  }
  return true
}
