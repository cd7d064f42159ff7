import type { StepDecisionRequest } from '@yonder/contract/completion'
import { denialText } from '@yonder/contract/message-text'
import type { ToolCall } from '@yonder/contract/tool-call'
import { lockChatOnly, requireChat } from '../../chats/chat-store.ts'
import { findMessage } from '../../chats/message-store.ts'
import { presentCall } from '../../chats/present-call.ts'
import { changePendingCall, type LaterCall, parseCall, type StoredCall } from '../../chats/tool-call-store.ts'
import type { Db } from '../../db/database.ts'
import type { User } from '../../identity/user.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { readEdited } from '../tools/edited-arguments.ts'
import { alreadyDecided, expiredCall, isExpired, notWaiting } from '../tools/explain-decision.ts'
import { noSuchMessage } from './send-message.ts'

type StepDeps = Pick<CompletionDeps, 'database' | 'connectors' | 'now'>

export interface StepDecisionSource {
  /** The device of the request. */
  readonly on: string
  /** Aborting it ends the check of the arguments. */
  readonly signal: AbortSignal
}

/**
 * Stores what the user has decided about a later call of the step of a waiting call, in place of an earlier decision, and
 * returns the waiting call. The run that makes the calls before it carries this out.
 * @throws AppError `not_found`, `invalid_request`, `conflict`
 */
export async function decideStep(
  deps: StepDeps,
  user: User,
  request: StepDecisionRequest,
  { on, signal }: StepDecisionSource,
): Promise<ToolCall> {
  const { db } = deps.database
  const { chatId, allow } = request
  await requireChat(db, user, chatId)
  const seen = requireLater(await requireWaiting(deps, db, request), request)
  const edited = await readEditedOf(deps, user, request, seen, signal)
  const reason = readReason(request)
  const decided = allow !== null && {
    allow,
    ...(edited === undefined ? {} : { edited }),
    ...(reason === undefined ? {} : { reason }),
    at: deps.now(),
    on,
  }
  return db.transaction().execute(async (trx) => {
    await lockChatOnly(trx, user, chatId)
    const stored = await requireWaiting(deps, trx, request)
    const later = requireLater(stored, request)
    const { decided: _, ...undecided } = later
    const changed = decided === false ? undecided : { ...undecided, decided }
    const call = { ...stored, rest: stored.rest.map((each) => (each === later ? changed : each)) }
    const message = { chat_id: chatId, id: request.messageId }
    if (!(await changePendingCall(trx, message, call))) throw notWaiting()
    return presentCall(call, 'waiting')
  })
}

/** Returns the call of a reply, which needs approval. */
async function requireWaiting(
  { now }: Pick<StepDeps, 'now'>,
  db: Db,
  { chatId, messageId }: StepDecisionRequest,
): Promise<StoredCall> {
  const message = await findMessage(db, chatId, messageId)
  if (message === undefined) throw noSuchMessage()
  if (isExpired(message, now())) throw expiredCall()
  if (message.call_state !== 'waiting' || message.call === null) throw alreadyDecided(message)
  return parseCall(message.call)
}

/** Returns a later call of the step of a call, if it is listed there. */
function requireLater({ rest }: StoredCall, { callId }: StepDecisionRequest): LaterCall {
  const later = rest.find(({ id, preview }) => id === callId && preview !== undefined)
  if (later === undefined) throw new AppError('conflict', 'This call cannot be decided yet. Reload the page.')
  return later
}

async function readEditedOf(
  deps: StepDeps,
  user: User,
  { allow, edited }: StepDecisionRequest,
  { target, arguments: proposed, isBroken, preview }: LaterCall,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (edited === null || edited === undefined) return undefined
  if (allow !== true || target === undefined || isBroken === true)
    throw new AppError(
      'invalid_request',
      'Only the arguments of a call that is allowed can be changed, and only of a tool that exists.',
    )
  return readEdited(deps, user, { target, proposed, fingerprint: preview?.fingerprint }, edited, signal)
}

/** As with a message, a text that only says 'cancel' is no reason. */
function readReason({ allow, reason }: StepDecisionRequest): string | undefined {
  const text = reason?.trim() ?? ''
  if (text === '' || text === denialText) return undefined
  if (allow === false) return text
  throw new AppError('invalid_request', 'Only a denial can have a reason.')
}
