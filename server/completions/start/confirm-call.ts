import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ToolConfirmRequest } from '@yonder/contract/completion'
import { lockChat, requireChat } from '../../chats/chat-store.ts'
import { findLatestTime, findMessage } from '../../chats/message-store.ts'
import { presentMessage } from '../../chats/present-chat.ts'
import {
  parseCall,
  claimPendingCall,
  listPendingCalls,
  pendingCallsPageSize,
} from '../../chats/tool-call-store.ts'
import { readArguments } from '../../connectors/calls/tool-call.ts'
import type { Database } from '../../db/database.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { maxCallChars } from '../loop/call-model.ts'
import type { WrittenRun } from '../run.ts'
import { approveCall } from '../tools/tool-invocation.ts'
import { writeRun, type Denial } from './send-message.ts'

const notWaiting = 'No such call needs approval. Reload the page.'

/**
 * Returns the reply, in a chat of the user, whose call has this tool and these arguments and needs approval; of several
 * replies, the newest.
 * @throws AppError `conflict` when there is none, `not_found` for a chat that is not the user's
 */
export async function requirePendingCall(
  { db }: Database,
  user: User,
  { server, tool, args, chatId, messageId }: ToolConfirmRequest,
): Promise<MessageRow> {
  if (chatId !== undefined) await requireChat(db, user, chatId)
  // Parsing takes milliseconds, so the texts are compared first, and a text that no model wrote is not parsed.
  const canParse = typeof args !== 'string' || args.length <= maxCallChars
  let expected: string | undefined
  let pending: readonly MessageRow[]
  let count = 0
  do {
    pending = await listPendingCalls(db, user, { server, tool, chatId, messageId }, count)
    // Arguments that cannot be called are confirmed too: the call then says why.
    const same = pending.find((row) => row.arguments === args)
    if (same !== undefined) return same
    if (pending.length > 0 && canParse) expected ??= toCanonical(args)
    for (const row of expected === undefined ? [] : pending) {
      await nextTurn()
      if (toCanonical(row.arguments) === expected) return row
    }
    count += pending.length
  } while (pending.length === pendingCallsPageSize)
  if (count > 0)
    throw refusal('A call of this tool needs approval, but with other arguments. Reload the page.')
  if (chatId === undefined || messageId === undefined) throw refusal(notWaiting)
  throw refusal(explainNotPending(await findMessage(db, chatId, messageId), server, tool))
}

/** Formats arguments with sorted keys, for comparison; returns undefined when they are not a JSON object. */
function toCanonical(callArguments: unknown): string | undefined {
  try {
    return canonicalJson(readArguments(callArguments))
  } catch {
    return undefined
  }
}

/** Explains why a reply has no call of this tool that needs approval. */
function explainNotPending(message: MessageRow | undefined, server: string, tool: string): string {
  if (message?.server !== server || message.tool !== tool) return notWaiting
  switch (message.call_state) {
    case 'running':
      return 'This call was already allowed, and is running. Reload the page to follow it.'
    case 'answered':
      return 'This call was already allowed. Reload the page to see its result.'
    case 'denied':
      return 'This call was already denied. Reload the page.'
    default:
      return notWaiting
  }
}

function refusal(reason: string): AppError {
  return new AppError('conflict', reason)
}

/**
 * Claims a call that needs approval, and writes the run that makes the call and continues from its result. Only the
 * first of several requests can claim the call.
 * @throws AppError `not_found`, `conflict`, `run_active`
 */
export async function confirmCall(
  deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>,
  user: User,
  pending: MessageRow,
): Promise<WrittenRun> {
  const invocation = approveCall(pending)
  const chatId = pending.chat_id
  return deps.database.db.transaction().execute(async (trx) => {
    const chat = await lockChat(trx, user, chatId, deps.now())
    if (!(await claimPendingCall(trx, pending, { state: 'running' }))) {
      const { id, server, tool } = pending
      throw refusal(explainNotPending(await findMessage(trx, chatId, id), server ?? '', tool ?? ''))
    }
    const parent = await findMessage(trx, chatId, pending.parent_id ?? '')
    if (parent === undefined) throw new Error(`reply ${pending.id} has no parent`)
    const reply = presentMessage({ ...pending, call_state: 'running' })
    return writeRun(trx, deps, user, {
      chat,
      parent,
      reply:
        reply.call === undefined ? reply : { ...reply, call: { ...reply.call, running_since: deps.now() } },
      first: { kind: 'invoke', invocation },
      latestTime: await findLatestTime(trx, chatId),
    })
  })
}

/**
 * Records that the user denied the call of a reply, and the remaining calls of the same batch unless only this one was
 * denied.
 */
export async function recordDenials(
  { connectors, onError }: Pick<CompletionDeps, 'connectors' | 'onError'>,
  user: User,
  { reply: { connector_id, tool, arguments: callArguments, call }, isForOneCall }: Denial,
): Promise<void> {
  const remaining = call === null || isForOneCall ? [] : parseCall(call).rest
  const denied = [
    { connectorId: connector_id ?? '', toolName: tool ?? '', arguments: callArguments },
    ...remaining.flatMap(({ target, arguments: text }) =>
      target === undefined ? [] : [{ ...target, arguments: text }],
    ),
  ]
  try {
    for (const deniedCall of denied) {
      await connectors.recordDenial(user, deniedCall.connectorId, deniedCall.toolName, deniedCall.arguments)
    }
  } catch (error) {
    // The message is stored and its run has started, so a failure to record the denial must not fail the request.
    onError(error)
  }
}
