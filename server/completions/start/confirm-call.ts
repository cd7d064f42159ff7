import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ToolConfirmRequest } from '@yonder/contract/completion'
import type { CallDecision } from '@yonder/contract/tool-call'
import { lockChat, requireChat } from '../../chats/chat-store.ts'
import { findLatestTime, findMessage } from '../../chats/message-store.ts'
import { presentMessage } from '../../chats/present-chat.ts'
import {
  parseCall,
  claimPendingCall,
  listPendingCalls,
  pendingCallsPageSize,
  type StoredCall,
} from '../../chats/tool-call-store.ts'
import { readArguments } from '../../connectors/calls/tool-call.ts'
import type { CallTarget } from '../../connectors/tools/adapt-tools.ts'
import type { ToolTarget } from '../../connectors/tools/resolve-tool.ts'
import type { Database } from '../../db/database.ts'
import type { BotRow, MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { maxCallChars } from '../loop/call-model.ts'
import type { WrittenRun } from '../run.ts'
import { readEdited } from '../tools/edited-arguments.ts'
import { alreadyDecided, expiredCall, isExpired, notWaiting } from '../tools/explain-decision.ts'
import { listDenied, recordDenied } from '../tools/record-denied.ts'
import { approveCall, toDecision } from '../tools/tool-invocation.ts'
import { writeRun, type Denial } from './send-message.ts'

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
    throw new AppError(
      'conflict',
      'A call of this tool needs approval, but with other arguments. Reload the page.',
    )
  if (chatId === undefined || messageId === undefined) throw notWaiting()
  throw explainNotPending(await findMessage(db, chatId, messageId), server, tool)
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
function explainNotPending(message: MessageRow | undefined, server: string, tool: string): AppError {
  return message?.server === server && message.tool === tool ? alreadyDecided(message) : notWaiting()
}

export interface Confirmation {
  readonly bot: Pick<BotRow, 'id'>
  /** The arguments with which the call is to be made instead. */
  readonly edited: ToolConfirmRequest['edited']
  /** The device of the request. */
  readonly on: string
  /** Aborting it ends the check of the arguments and of the tool. */
  readonly signal: AbortSignal
}

/**
 * Claims a call that needs approval, and writes the run that makes the call and continues from its result. Only the
 * first of several requests can claim the call.
 * @throws AppError `invalid_request` for arguments that were changed badly, `not_found`, `conflict`, `run_active`
 */
export async function confirmCall(
  deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'now' | 'connectors'>,
  user: User,
  pending: MessageRow,
  { bot, edited: given, on, signal }: Confirmation,
): Promise<WrittenRun> {
  if (isExpired(pending, deps.now())) throw expiredCall()
  const target = targetOf(pending)
  const proposed = pending.arguments ?? '{}'
  const { fingerprint } = pending.call === null ? { fingerprint: undefined } : parseCall(pending.call)
  const edited =
    given === null || given === undefined
      ? undefined
      : await readEdited(deps, user, { target, proposed, fingerprint }, given, signal)
  const chatId = pending.chat_id
  const use = { chatId, botId: bot.id, arguments: edited ?? proposed }
  await requireChecked(deps, user, target, signal)
  const kind = await findKind(deps, user, { ...target, use })
  return deps.database.db.transaction().execute(async (trx) => {
    const chat = await lockChat(trx, user, chatId, deps.now())
    // Read again, because a later call of its step may have been decided meanwhile.
    const current = await findMessage(trx, chatId, pending.id)
    if (current?.call_state !== 'waiting' || current.call === null)
      throw explainNotPending(current, pending.server ?? '', pending.tool ?? '')
    if (isExpired(current, deps.now())) throw expiredCall()
    const call: StoredCall = {
      ...parseCall(current.call),
      decision: { ...kind, at: deps.now(), on },
      ...(edited === undefined ? {} : { edited }),
    }
    if (!(await claimPendingCall(trx, pending, { state: 'running', call }))) throw notWaiting()
    const claimed = { ...current, call_state: 'running', call: JSON.stringify(call) }
    const parent = await findMessage(trx, chatId, pending.parent_id ?? '')
    if (parent === undefined) throw new Error(`reply ${pending.id} has no parent`)
    const reply = presentMessage(claimed)
    return writeRun(trx, deps, user, {
      chat,
      parent,
      reply:
        reply.call === undefined ? reply : { ...reply, call: { ...reply.call, running_since: deps.now() } },
      first: { kind: 'invoke', invocation: approveCall(claimed) },
      latestTime: await findLatestTime(trx, chatId),
    })
  })
}

function targetOf({ connector_id, server, tool }: MessageRow): CallTarget {
  return { connectorId: connector_id ?? '', connectorName: server ?? '', toolName: tool ?? '' }
}

/**
 * Makes sure that the tool is the one that its server has now. One that has changed since the user saw it is then not
 * called, and the result of the call says so.
 * @throws AppError `conflict` when that is not known; the call still waits
 */
async function requireChecked(
  { connectors }: Pick<CompletionDeps, 'connectors'>,
  user: User,
  target: CallTarget,
  signal: AbortSignal,
): Promise<void> {
  const checked = await connectors.checkDefinition(user, target, { signal })
  if (checked.kind === 'unread')
    throw new AppError(
      'conflict',
      `The tool could not be checked. ${checked.reason} The call still waits; try again.`,
    )
}

/**
 * Returns what allows a call that the user has just confirmed: after 'Allow Always' the list of allowed tools, after
 * 'Allow for…' the grant.
 */
async function findKind(
  { connectors }: Pick<CompletionDeps, 'connectors'>,
  user: User,
  target: ToolTarget,
): Promise<Pick<CallDecision, 'kind' | 'grant'>> {
  const resolved = await connectors.resolveTool(user, target)
  if (resolved.kind === 'missing' || resolved.decision.kind !== 'run') return { kind: 'once' }
  const { at: _, ...kind } = toDecision(resolved.decision, 0)
  return kind
}

/** Records that the user denied the call of a reply, and the calls that were denied with it. */
export function recordDenials(
  deps: Pick<CompletionDeps, 'connectors' | 'onError'>,
  user: User,
  { reply, decision, rest }: Denial,
): Promise<void> {
  return recordDenied(deps, user, listDenied(reply, decision, rest))
}
