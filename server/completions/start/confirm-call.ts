import type { ToolConfirm } from '@yonder/contract/completion'
import { lockChat, requireChat } from '../../chats/chat-store.ts'
import { findLatestTime, findMessage } from '../../chats/message-store.ts'
import { presentMessage } from '../../chats/present-message.ts'
import { parseCall } from '../../chats/stored-call.ts'
import { claimPendingCall, listPendingCalls } from '../../chats/pending-call-store.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { readArguments } from '../../connectors/calls/read-arguments.ts'
import type { Database } from '../../db/database.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { User } from '../../identity/user.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { HandedCall } from '../loop/run-completion.ts'
import { insertWrittenRun } from './write-run.ts'
import type { WrittenRun } from './write-run.ts'

/**
 * The reply of this person that waits for exactly this call, the newest of several.
 * @throws AppError `conflict` for everything else, `not_found` for a chat that is not theirs
 */
export async function requireWaitingCall(
  { db }: Database,
  user: User,
  { server, tool, args, chatId, messageId }: ToolConfirm,
): Promise<MessageRow> {
  if (chatId !== undefined) await requireChat(db, user, chatId)
  const waiting = await listPendingCalls(db, user, { server, tool, chatId, messageId })
  const wanted = writeArguments(args)
  const match = waiting.find((row) => wanted !== undefined && writeArguments(row.arguments) === wanted)
  if (match !== undefined) return match
  if (waiting.length > 0) throw refusal('The reply waits for this tool with other arguments.')
  if (chatId === undefined || messageId === undefined) throw refusal('No reply waits for this call.')
  throw refusal(explain(await findMessage(db, chatId, messageId), server, tool))
}

/** What says the same in another order of keys is the same; what is no JSON object equals nothing. */
function writeArguments(given: unknown): string | undefined {
  try {
    return canonicalJson(readArguments(given))
  } catch {
    return undefined
  }
}

function explain(message: MessageRow | undefined, server: string, tool: string): string {
  if (message?.server !== server || message.tool !== tool) return 'No reply waits for this call.'
  switch (message.call_state) {
    case 'running':
      return 'This call runs already.'
    case 'answered':
      return 'This call was run already.'
    case 'denied':
      return 'This call was denied.'
    default:
      return 'No reply waits for this call.'
  }
}

function refusal(reason: string): AppError {
  return new AppError('conflict', reason)
}

/**
 * Takes a waiting call, once whoever else tries, and writes the run that makes it and goes on from there.
 * @throws AppError `conflict`, `run_active`
 */
export async function confirmCall(
  deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'now' | 'connectors'>,
  user: User,
  waiting: MessageRow,
): Promise<WrittenRun> {
  const call = await readCall(deps, user, waiting)
  const chatId = waiting.chat_id
  return deps.database.db.transaction().execute(async (trx) => {
    await lockChat(trx, user, chatId, deps.now())
    if (!(await claimPendingCall(trx, waiting, 'running'))) throw refusal('This call does not wait any more.')
    const question = await findMessage(trx, chatId, waiting.parent_id ?? '')
    if (question === undefined) throw new Error(`reply ${waiting.id} answers nothing`)
    return insertWrittenRun(trx, deps, user, {
      chatId,
      question,
      reply: presentMessage({ ...waiting, call_state: 'running' }),
      first: { kind: 'call', call },
      latest: await findLatestTime(trx, chatId),
    })
  })
}

async function readCall(
  { connectors }: Pick<CompletionDeps, 'connectors'>,
  user: User,
  { id, server, tool, arguments: callArguments, call }: MessageRow,
): Promise<HandedCall> {
  if (server === null || tool === null || call === null) throw new Error(`reply ${id} calls nothing`)
  const { fingerprint, rest, unknown = false } = parseCall(call)
  // It may stand on the list by now: "Allow Always" puts it there first (§4.21).
  const resolved = await connectors.resolveTool(user, { connectorName: server, toolName: tool })
  const decision = resolved.kind === 'missing' ? undefined : resolved.consent
  return {
    replyId: id,
    connectorName: server,
    toolName: tool,
    arguments: callArguments ?? '{}',
    unknown,
    approval: decision?.kind === 'run' ? decision.by : 'once',
    fingerprint,
    rest,
  }
}
