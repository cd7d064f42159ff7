import type { FastifyReply, FastifyRequest } from 'fastify'
import { listReplies } from '../../chats/message-store.ts'
import { presentMessage } from '../../chats/present-message.ts'
import type { Db } from '../../db/database.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import { isResult } from '../loop/collect-batch.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { CompletionRoutesDeps } from '../completion-routes.ts'
import type { RunPlace } from '../log/run-cursor.ts'
import { followRun } from '../log/follow-run.ts'
import { retellRun } from './replay-run.ts'
import { findLatestRun } from '../log/run-store.ts'
import { logTime } from '../maintenance/run-maintenance.ts'

/** Answers a repeated message, or a repeated continuation, with the stream of its first answer. */
export async function repeatAnswer(
  deps: CompletionRoutesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { message, place }: { readonly message: MessageRow; readonly place?: RunPlace | undefined },
): Promise<void> {
  const { db } = deps.database
  const [answer] = await listReplies(db, message.chat_id, message.id)
  const at = place ?? (answer && (await findStart(deps, answer)))
  const stream = deps.sse.open(request, reply)
  if (at !== undefined) await followRun(deps, stream, { ...at, numbered: false })
  else if (answer === undefined) stream.end()
  else {
    const written = await listTurn(db, answer)
    stream.end(retellRun(presentMessage(message), written.map(presentMessage)))
  }
}

async function findStart(deps: CompletionDeps, answer: MessageRow): Promise<RunPlace | undefined> {
  const { db, dialect } = deps.database
  const run = await findLatestRun(db, dialect, answer.chat_id, answer.id)
  return run === undefined || isForgotten(deps, run) ? undefined : { runId: run.id, after: 0 }
}

/** Its log is removed a while after its end: the text is in the message. */
export function isForgotten(
  { now }: Pick<CompletionDeps, 'now'>,
  run: { readonly ended_at: number | null },
): boolean {
  return run.ended_at !== null && now() - run.ended_at > logTime
}

/** A reply, and what followed on its call: results and further replies, the newest where there are several. */
async function listTurn(db: Db, reply: MessageRow): Promise<MessageRow[]> {
  const turn = [reply]
  for (;;) {
    const last = turn.at(-1) ?? reply
    const below = await listReplies(db, last.chat_id, last.id)
    const next = below.findLast((message) =>
      isResult(last) ? message.role === 'assistant' : isResult(message),
    )
    if (next === undefined) return turn
    turn.push(next)
  }
}
