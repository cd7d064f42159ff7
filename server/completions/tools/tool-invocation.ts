import type { CallDecision, ToolCall } from '@yonder/contract/tool-call'
import { presentCall, unknownConnector } from '../../chats/present-call.ts'
import {
  parseCall,
  remainingCalls,
  type BatchCall,
  type EarlyDecision,
  type LaterCall,
  type RemainingCalls,
  type StoredCall,
} from '../../chats/tool-call-store.ts'
import { failure, failureWithAdvice, type ToolOutcome } from '../../connectors/calls/tool-call.ts'
import type {
  ApprovalDecision,
  KnownTool,
  ReadBotConnectors,
  ResolvedTool,
} from '../../connectors/tools/resolve-tool.ts'
import { parseDefinition } from '../../connectors/tools/tool-store.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { ToolInvocation } from '../run.ts'
import { explainDenial } from './explain-decision.ts'

/** Where a call is made, which grants with limits are compared with. */
export interface CallPlace {
  readonly chatId: string
  readonly botId: string
  readonly readBotConnectors?: ReadBotConnectors
}

export interface CallToDecide {
  readonly replyId: string
  readonly call: LaterCall
  /** The calls of the same batch that come after it. */
  readonly remaining: RemainingCalls
  readonly place: CallPlace
  /** Aborting it ends the check of the arguments. */
  readonly signal: AbortSignal
}

export interface DecidedCall {
  /** What the user sees of the call. */
  readonly shown: { readonly server: string; readonly tool: string; readonly call: ToolCall }
  readonly connectorId: string | null
  /** The `call` column of the reply. */
  readonly stored: StoredCall
  /** Undefined when the call needs approval. */
  readonly invocation: ToolInvocation | undefined
}

export type DecideDeps = Pick<CompletionDeps, 'connectors' | 'now'>

/** A call with what is known of its tool. */
export interface ExaminedCall {
  /** Undefined when there is no such tool, or it may not be used. */
  readonly known: KnownTool | undefined
  /** The result of a call that cannot be made; undefined when `callTool` is to decide. */
  readonly refusal: ToolOutcome | undefined
  /** Whether the call needs approval. One that cannot run needs none: its result says why. */
  readonly decision: ApprovalDecision
}

/** A call that cannot run, or whose tool does not exist, needs no approval. */
const noApprovalNeeded = { kind: 'run', by: 'no_list' } as const

/**
 * Looks up the tool of a call and checks the arguments. `isDue` says that the call would be made now, so that an older
 * definition of its tool is read again.
 */
export async function examineCall(
  deps: DecideDeps,
  user: User,
  call: BatchCall,
  { chatId, botId, readBotConnectors }: CallPlace,
  { isDue, signal }: { readonly isDue: boolean; readonly signal: AbortSignal },
): Promise<ExaminedCall> {
  const { connectors } = deps
  const target = call.target && {
    ...call.target,
    readBotConnectors,
    use: { chatId, botId, arguments: call.arguments },
  }
  const resolved =
    target &&
    (isDue
      ? await connectors.resolveForCall(user, target, signal)
      : await connectors.resolveTool(user, target))
  const known = resolved === undefined || resolved.kind === 'missing' ? undefined : resolved
  const refusal = await findRefusal(deps, user, { call, signal }, resolved)
  const decision = refusal === undefined && known !== undefined ? known.decision : noApprovalNeeded
  return { known, refusal, decision }
}

/**
 * Decides whether a call runs at once or needs approval, by the definition of its tool, or carries out what the user has
 * decided while an earlier call of the step was waiting. A call that cannot run needs no approval: its result says why,
 * so that the model can correct it.
 */
export async function decideCall(
  deps: DecideDeps,
  user: User,
  { replyId, call: given, remaining, place, signal }: CallToDecide,
): Promise<DecidedCall> {
  const call = await withKnownTool(deps, user, given, signal)
  const { target, decided } = call
  const edited = decided?.allow === true ? decided.edited : undefined
  const made = { ...call, arguments: edited ?? call.arguments }
  // A call that is denied is not made, so its tool is not read again.
  const examined = await examineCall(deps, user, made, place, { isDue: decided?.allow !== false, signal })
  const { known, decision } = examined
  const runsAtOnce = decided !== undefined || decision.kind === 'run'
  const connectorId = target?.connectorId ?? null
  const server = known?.connector.name ?? target?.connectorName ?? unknownConnector
  const tool = target?.toolName ?? call.name
  const { calls: rest, total } = remaining
  const stored: StoredCall = {
    id: call.id,
    name: call.name,
    ...(call.note === undefined ? {} : { note: call.note }),
    ...(target === undefined ? { unknown: true } : {}),
    ...(call.isBroken ? { isBroken: true } : {}),
    ...(rest.length + 1 < total ? { continues: true } : {}),
    ...(total > 1 ? { total } : {}),
    ...describeTool(known, decision),
    ...versionOf(call, examined, runsAtOnce),
    ...(runsAtOnce ? {} : { askedAt: deps.now() }),
    ...readDecision(decided, examined, deps.now()),
    ...(edited === undefined ? {} : { edited }),
    rest,
  }
  const reply = { id: replyId, connector_id: connectorId, server, tool, arguments: call.arguments }
  return {
    shown: { server, tool, call: presentCall(stored, runsAtOnce ? 'running' : 'waiting') },
    connectorId,
    stored,
    invocation: runsAtOnce
      ? {
          ...toInvocation(reply, stored, approvalOf(decided, decision)),
          refusal: decided?.allow === false ? denyByUser(decided.reason) : examined.refusal,
        }
      : undefined,
  }
}

/**
 * Takes back what the user has allowed when it is not known whether the tool is still the same, so that the call asks. A
 * tool that has changed is not called, and the result of the call says so.
 */
async function withKnownTool(
  { connectors }: DecideDeps,
  user: User,
  call: LaterCall,
  signal: AbortSignal,
): Promise<LaterCall> {
  if (call.decided?.allow !== true || call.target === undefined) return call
  const checked = await connectors.checkDefinition(user, call.target, { signal })
  if (checked.kind === 'fresh') return call
  const { decided: _, ...undecided } = call
  return undecided
}

function approvalOf(
  decided: EarlyDecision | undefined,
  decision: ApprovalDecision,
): ToolInvocation['approval'] {
  return decided === undefined && decision.kind === 'run' ? decision.by : 'once'
}

/** Returns what is shown of a tool beside its name. */
export function describeTool(
  known: KnownTool | undefined,
  decision: ApprovalDecision,
): Pick<StoredCall, 'title' | 'changes' | 'effect' | 'alwaysAsks'> {
  const title = known === undefined ? null : parseDefinition(known.tool.definition).title
  return {
    ...(title === null ? {} : { title }),
    ...(decision.kind === 'ask_changed' ? { changes: [...decision.changes] } : {}),
    ...(known?.effect === undefined ? {} : { effect: known.effect }),
    ...(known?.alwaysAsks === true && { alwaysAsks: true }),
  }
}

/** Returns the versions of the tool and the credential that the call is bound to: those that the user has seen, if any. */
function versionOf(
  { decided, preview }: LaterCall,
  { known }: ExaminedCall,
  runsAtOnce: boolean,
): Pick<StoredCall, 'fingerprint' | 'credential'> {
  // No tool has an empty fingerprint, so a tool that is added with this name a moment later is not called.
  if (decided?.allow === true)
    return { fingerprint: preview?.fingerprint ?? '', credential: preview?.credential ?? '' }
  const fingerprint = known?.tool.fingerprint ?? ''
  return { fingerprint, ...(runsAtOnce || known === undefined ? {} : { credential: known.credential }) }
}

/** Returns how a call was decided; nothing for one that waits, and for one that could not be made anyway. */
function readDecision(
  decided: EarlyDecision | undefined,
  { refusal, known, decision }: ExaminedCall,
  now: number,
): Pick<StoredCall, 'decision'> {
  if (decided !== undefined) {
    const { allow, at, on, reason } = decided
    return {
      decision: {
        kind: allow ? 'once' : 'denied',
        at,
        ...(on === undefined ? {} : { on }),
        ...(reason === undefined ? {} : { reason }),
      },
    }
  }
  if (refusal !== undefined || known === undefined || decision.kind !== 'run') return {}
  return { decision: toDecision(decision, now) }
}

/** Converts what allowed a call. */
export function toDecision(
  decision: Extract<ApprovalDecision, { readonly kind: 'run' }>,
  at: number,
): CallDecision {
  return {
    kind: decision.by,
    at,
    ...(decision.by === 'granted' && { grant: decision.grant.limits }),
  }
}

/** The result of a call that the user has denied while an earlier call of its step was waiting. */
function denyByUser(reason: string | undefined): ToolOutcome {
  return failure(explainDenial(reason), { status: 'denied' })
}

/** Returns the result of a call that cannot be made; undefined when `callTool` is to decide. */
async function findRefusal(
  { connectors }: Pick<DecideDeps, 'connectors'>,
  user: User,
  { call, signal }: { readonly call: BatchCall; readonly signal: AbortSignal },
  resolved: ResolvedTool | undefined,
): Promise<ToolOutcome | undefined> {
  if (resolved === undefined) return failure(`There is no tool named "${call.name}".`)
  if (call.isBroken) return refuseBrokenArguments(call.arguments)
  // Not refused here: `callTool` fails with the reason why the tool is missing.
  if (resolved.kind === 'missing') return undefined
  if (resolved.kind === 'unusable')
    return failure(resolved.reason, resolved.isBlocked ? { blocked: true } : {})
  const problem = await connectors.checkArguments(user, resolved.tool, call.arguments, signal)
  if (problem === undefined) return undefined
  return failureWithAdvice(
    `The tool was not called. ${problem}`,
    'Correct the arguments and call the tool again.',
  )
}

/** Characters of broken arguments that the model reads again, to see its mistake. */
const maxQuotedChars = 2_000

function refuseBrokenArguments(text: string): ToolOutcome {
  const reason = 'The tool was not called: the arguments of the model are not a JSON object.'
  const quoted = text.slice(0, maxQuotedChars).toWellFormed()
  return failureWithAdvice(
    reason,
    `The arguments were: ${quoted}\n(${explainParseError(text)}) Call the tool again with one valid JSON object.`,
  )
}

function explainParseError(text: string): string {
  try {
    JSON.parse(text)
    return 'This is valid JSON, but not an object, or it is nested too deeply.'
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not valid JSON.'
  }
}

/** Creates the invocation of a call that needed approval, and that the user has just allowed. */
export function approveCall({
  id,
  connector_id,
  server,
  tool,
  arguments: callArguments,
  call,
}: MessageRow): ToolInvocation {
  if (server === null || tool === null || call === null) throw new Error(`reply ${id} has no tool call`)
  const stored = parseCall(call)
  const reply = { id, connector_id, server, tool, arguments: callArguments ?? '{}' }
  // A call that was stored without its credential is not made: no connector has an empty one.
  return toInvocation(reply, { ...stored, credential: stored.credential ?? '' }, 'once')
}

function toInvocation(
  reply: Pick<MessageRow, 'id' | 'connector_id'> & {
    readonly server: string
    readonly tool: string
    readonly arguments: string
  },
  stored: StoredCall,
  approval: ToolInvocation['approval'],
): ToolInvocation {
  const { decision, edited } = stored
  return {
    replyId: reply.id,
    connectorId: reply.connector_id,
    connectorName: reply.server,
    toolName: reply.tool,
    arguments: edited ?? reply.arguments,
    refusal: undefined,
    approval,
    decided: {
      messageId: reply.id,
      // Without a device, no user decided about this call.
      ...(decision?.on !== undefined && { at: decision.at, on: decision.on }),
      ...(edited !== undefined && { edited: true }),
    },
    fingerprint: stored.fingerprint,
    credential: stored.credential,
    remaining: remainingCalls(stored),
  }
}
